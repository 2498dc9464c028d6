// A run that is being simulated: its moments come over a websocket, orders go back.

import { Curves } from "./curves.js";
import { h, message, replace } from "./dom.js";
import { count, DAY, decimal, duration, ENDED, HOUR, MINUTE, moment, percent, WEEK } from "./format.js";
import { MomentView } from "./moment.js";
import { timeField } from "./timefield.js";

const SPEEDS = [["full speed", ""], ["10 min / s", 10 * MINUTE], ["1 h / s", HOUR], ["6 h / s", 6 * HOUR], ["1 d / s", DAY], ["1 week / s", WEEK], ["10 weeks / s", 10 * WEEK]];
const BETWEEN_CURVES = 1000; // milliseconds: a plot takes longer to draw than a map

// onEnd is called when the run is finished, before the page turns into its replay.
export function showLive(place, run, onJob, onEnd) {
  const start = run.system.calendar;
  let last = null;
  let ended = false;
  let left = false;
  const button = (text, id, title, action) => h("button", { id, title, onclick: action }, text);
  const toggle = button("❚❚ Pause", "pause", "Pause or continue (space)", () => order({ mode: last?.mode === "pause" ? "run" : "pause" }));
  const steps = [1, 10, 100].map((number) => button(`+${number}`, `step-${number}`, `Pause, and advance by ${number} time points`, () => order({ mode: "pause", steps: number })));
  const speed = h("select", { id: "speed", "aria-label": "Speed", onchange: () => order({ mode: "run" }) }, SPEEDS.map(([text, value]) => h("option", { value }, text)));
  const until = timeField(run, { id: "until", label: "Go until", title: "Continue to this time at full speed, then pause", act: goUntil });
  const clock = h("output", { class: "clock live", id: "clock" });
  const progress = h("progress", { max: 1, "aria-label": "Share of the workload that was read" });
  const note = h("div", { role: "status" });
  const now = h("div", { class: "moment" });
  const plot = h("div", { class: "plot", id: "curves" });
  const facts = h("span", { class: "faint", id: "pace" });
  replace(place, h("div", { class: "bar controls" }, toggle, h("span", { class: "group" }, h("span", { class: "faint" }, "step"), steps),
    h("label", {}, "speed ", speed), until,
    clock, h("span", { class: "grow" }), progress, facts), note, now,
  h("section", { class: "card" }, h("h2", {}, "Over time"), plot));
  const view = new MomentView(now, run, (job, others) => onJob(job, others, last.time));
  const curves = new Curves(plot, run, { live: true });
  let drawnAt = 0;
  let drawing = null;

  const address = new URL(`/api/live?${new URLSearchParams({ run: run.name })}`, location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(address);
  socket.onmessage = ({ data }) => {
    const report = JSON.parse(data);
    if (report.kind === "moment") take(report);
    else if (report.kind === "ended") end(report);
    else replace(note, message(report.error, "error"));
  };
  socket.onclose = () => {
    if (!ended && !left) replace(note, message("The connection was lost. ", "error"), h("button", { onclick: reopen }, "Connect again"));
  };

  function take(report) {
    last = report;
    view.set(report);
    curves.add(report.curves);
    drawCurves();
    toggle.textContent = report.mode === "pause" ? "▶ Continue" : "❚❚ Pause";
    toggle.dataset.mode = report.mode;
    showSpeed(report.speed);
    clock.textContent = moment(report.time, start);
    place.dataset.time = report.time;
    progress.hidden = report.share_read === null;
    if (report.share_read !== null) progress.value = report.share_read;
    const done = ENDED.reduce((sum, state) => sum + (report.counts[state] ?? 0), 0);
    const pace = report.mode === "pause" ? "paused" : report.speed ? `${duration(report.speed)} per second` : "full speed";
    facts.textContent = `${report.share_read === null ? "" : `${percent(report.share_read, 0)} read, `}${count(done)} jobs done, ${decimal(report.simulator.cpu_seconds, 1)} s CPU, ${pace}`;
    // The next moment comes when this one is on the screen, so that a slow page never falls behind.
    requestAnimationFrame(() => { if (socket.readyState === WebSocket.OPEN) socket.send('{"kind":"done"}'); });
  }

  // Shows the pace that the run keeps, unless a user is choosing another one.
  function showSpeed(pace) {
    if (document.activeElement === speed) return;
    const value = pace === null ? "" : String(pace);
    if (![...speed.options].some((option) => option.value === value)) speed.append(h("option", { value }, `${duration(pace)} / s`));
    speed.value = value;
  }

  function drawCurves() {
    if (drawing || left || !curves.data.time.length) return;
    drawing = setTimeout(async () => {
      drawnAt = performance.now();
      await curves.draw();
      drawing = null;
    }, Math.max(0, drawnAt + BETWEEN_CURVES - performance.now()));
  }

  function order(more) {
    if (socket.readyState !== WebSocket.OPEN) return;
    replace(note);
    socket.send(JSON.stringify({ kind: "control", speed: speed.value ? Number(speed.value) : null, ...more }));
  }

  function goUntil(time) {
    if (last && time <= last.time) {
      throw new Error(`${moment(time, start)} is not after the time that is shown; a run in progress cannot go back. When it is over, every moment of it can be looked at.`);
    }
    order({ mode: "pause", until: time });
  }

  function end(report) {
    ended = true;
    clearTimeout(drawing);
    if (report.state === "finished") {
      onEnd();
      reopen();
      return;
    }
    const why = report.error ?? "its process is gone, and what it had recorded is not whole";
    replace(note, message(`The run was stopped before its end: ${why}.`, "error"));
    const state = document.querySelector(".title .badge");
    state.textContent = "stopped";
    state.className = "badge stopped";
    for (const control of place.querySelectorAll(".controls button, .controls select, .controls input")) control.disabled = true;
  }

  function reopen() {
    dispatchEvent(new Event("schedlab-reopen"));
  }

  function key(event) {
    if (event.key !== " " || event.target.closest("input, select, button, textarea, [tabindex='0']")) return;
    event.preventDefault();
    toggle.click();
  }

  addEventListener("keydown", key);
  return () => {
    left = true;
    removeEventListener("keydown", key);
    clearTimeout(drawing);
    socket.close();
    view.close();
    curves.close();
  };
}
