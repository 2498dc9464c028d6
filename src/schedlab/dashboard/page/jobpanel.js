// Everything about one job, at the side.

import { get } from "./api.js";
import { colour } from "./colours.js";
import { h, latest, message, replace } from "./dom.js";
import { moment } from "./format.js";

const panel = document.getElementById("panel");
let before = null;

export function closePanel() {
  panel.hidden = true;
  before?.focus?.();
  before = null;
}

addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !panel.hidden) closePanel();
});

let shown = null; // what the panel shows, and from when

// Shows a job of a run as it was at a time, and the others on its node.
export function showJob(run, job, others, time) {
  if (panel.hidden) before = document.activeElement;
  panel.hidden = false;
  const close = h("button", { class: "close", onclick: closePanel, "aria-label": "Close" }, "✕");
  const body = h("div", {}, message("Loading ..."));
  replace(panel, close, h("h2", {}, h("i", { class: "swatch", style: `background:${colour(job)}` }), `Job ${job}`), body);
  close.focus({ preventScroll: true });
  shown = { run, job, others, body, time };
  return load();
}

// Shows the job that is open as it was at another time.
export function followJob(time) {
  if (panel.hidden || !shown || shown.time === time) return;
  shown.time = time;
  load();
}

const load = latest(async () => {
  const { run, job, others, body, time } = shown;
  let content;
  try {
    content = facts(await get("/api/run/job", { path: run.name, job_id: job, time }), run, time);
  } catch (error) {
    content = message(error.message, "error");
  }
  replace(body, content, beside(run, job, others));
});

function beside(run, job, others) {
  const rest = others.filter((other) => other !== job);
  if (!rest.length) return null;
  return h("div", {}, h("h3", {}, "On the same node at that time"),
    h("p", { class: "links" }, rest.slice(0, 40).map((other) => h("button", { class: "link", onclick: () => showJob(run, other, others, shown.time) },
      h("i", { class: "swatch", style: `background:${colour(other)}` }), String(other)))));
}

// Columns that the facts of a job have; others, which a reader added, come after them.
const KNOWN = ["job_id", "user", "submit", "start", "end", "state", "tasks", "estimate", "nodes", "wait", "slowdown", "bounded_slowdown", "amounts", "facts"];

function facts(job, run, time) {
  const more = Object.entries(job).filter(([name]) => !KNOWN.includes(name)).map(([name, value]) => [name.replaceAll("_", " "), value === null ? "-" : String(value), false]);
  return [h("p", { class: "faint" }, `at ${moment(time, run.system.calendar)}; what is still to come is in italics`),
    h("dl", {}, [...job.facts, ...more].flatMap(([name, text, comes]) => [h("dt", { class: comes ? "coming" : null }, name), h("dd", { class: comes ? "coming" : null }, text)]))];
}
