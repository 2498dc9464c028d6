// A finished run: a moment of it, chosen by the slider; its curves, Gantt chart, jobs and summary.

import { get } from "./api.js";
import { Curves } from "./curves.js";
import { h, latest, message, replace } from "./dom.js";
import { DAY, duration, HOUR, MINUTE, moment, WEEK } from "./format.js";
import { Gantt } from "./gantt.js";
import { followJob } from "./jobpanel.js";
import { jobsTable } from "./jobs.js";
import { MomentView } from "./moment.js";
import { summary } from "./summary.js";
import { timeField } from "./timefield.js";

const SPEEDS = [["1 min / s", MINUTE], ["10 min / s", 10 * MINUTE], ["1 h / s", HOUR], ["6 h / s", 6 * HOUR], ["1 d / s", DAY], ["1 week / s", WEEK]];
const FRAME = 120; // milliseconds between moments that are played

// It begins at a time, else in its middle.
export async function showReplay(place, run, openJob, beginAt = null) {
  const start = run.system.calendar;
  const length = run.last - run.first;
  let time = run.first;
  let playing = null;
  const onJob = (job, others) => openJob(job, others, time);
  const slider = h("input", { type: "range", min: run.first, max: Math.max(run.last, run.first), step: "any", value: run.first, id: "time",
    "aria-label": "Time", oninput: () => go(Number(slider.value)) });
  const clock = h("output", { class: "clock", id: "clock" });
  const play = h("button", { id: "play", onclick: toggle, title: "Play (space)" }, "▶ Play");
  const speed = h("select", { "aria-label": "Speed", id: "speed" }, SPEEDS.map(([text, value]) => h("option", { value }, text)));
  speed.value = String((SPEEDS.find(([, value]) => length / value <= 90) ?? SPEEDS.at(-1))[1]);
  const button = (text, title, action) => h("button", { title, onclick: action }, text);
  const controls = h("div", { class: "bar controls" }, play, speed,
    button("|◂", "To the beginning", () => go(run.first)), button("◂ event", "To the event before (left arrow)", () => step(-1)),
    slider, button("event ▸", "To the next event (right arrow)", () => step(1)), button("▸|", "To the end", () => go(run.last)), clock,
    timeField(run, { id: "to", label: "Go to", title: "Show the run at this time", act: goTo }));
  const now = h("div", { class: "moment" });
  const plot = h("div", { class: "plot", id: "curves" });
  const curvesCard = h("section", { class: "card" }, h("h2", {}, "Over time"), plot);
  const ganttCard = h("section", { class: "card relative", id: "gantt" });
  const facts = h("section", { class: "card", id: "summary" });
  const jobs = h("section", { class: "card", id: "jobs" });
  const note = h("div");
  replace(place, controls, note, now, curvesCard, ganttCard, h("div", { class: "lower" }, facts, jobs));

  const view = new MomentView(now, run, onJob);
  const curves = new Curves(plot, run, { onTime: (at) => go(at) });
  const gantt = new Gantt(ganttCard, run, { onTime: (at) => go(at), onJob: async (job, at, node) => {
    const { jobs: others } = await get("/api/run/at", { path: run.name, time: at, node });
    onJob(job, others);
  } });

  const show = latest(async () => {
    try {
      followJob(time);
      view.set(await get("/api/run/moment", { path: run.name, time }));
      replace(note);
    } catch (error) {
      replace(note, message(error.message, "error"));
    }
  });

  function go(at) {
    time = Math.min(Math.max(at, run.first), run.last);
    slider.value = String(time);
    slider.setAttribute("aria-valuetext", moment(time, start));
    clock.textContent = `${moment(time, start)} (+${duration(time - run.first)})`;
    curves.setTime(time);
    gantt.setTime(time);
    return show();
  }

  function goTo(at) {
    pause();
    go(at);
    if (at < run.first) return `The run begins at ${moment(run.first, start)}.`;
    return at > run.last ? `The run ends at ${moment(run.last, start)}.` : null;
  }

  async function step(number) {
    pause();
    const { time: found } = await get("/api/run/step", { path: run.name, time, steps: number });
    go(found);
  }

  function pause() {
    clearInterval(playing);
    playing = null;
    play.textContent = "▶ Play";
  }

  function toggle() {
    if (playing) {
      pause();
      return;
    }
    if (time >= run.last) go(run.first);
    let last = performance.now();
    play.textContent = "❚❚ Pause";
    playing = setInterval(() => {
      const seconds = (performance.now() - last) / 1000;
      last = performance.now();
      go(time + seconds * Number(speed.value));
      if (time >= run.last) pause();
    }, FRAME);
  }

  function key(event) {
    const target = event.target;
    if (target !== slider && target.closest("input, select, button, textarea, canvas, [tabindex='0']")) return;
    const actions = { " ": toggle, ArrowLeft: () => step(-1), ArrowRight: () => step(1), Home: () => go(run.first), End: () => go(run.last) };
    if (!(event.key in actions) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    actions[event.key]();
  }

  addEventListener("keydown", key);
  summary(facts, run);
  await go(beginAt ?? run.first + length / 2);
  Promise.all([
    jobsTable(jobs, run, (job) => onJob(job, [])),
    curves.load().then((some) => { if (!some) replace(plot, message("There is no timeline to draw; runs write one with --timeline csv.")); else curves.setTime(time); }),
  ]).catch((error) => replace(note, message(error.message, "error")));
  return () => {
    pause();
    removeEventListener("keydown", key);
    view.close();
    curves.close();
    gantt.close();
  };
}
