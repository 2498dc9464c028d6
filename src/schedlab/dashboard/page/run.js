// One run: replayed when it is finished, live while it is simulated.

import { get } from "./api.js";
import { h, message, replace } from "./dom.js";
import { showJob } from "./jobpanel.js";
import { badge } from "./list.js";
import { showLive } from "./live.js";
import { showReplay } from "./replay.js";

let watched = null; // the run in progress that was shown until it ended

export async function showRun(place, name, isHere) {
  replace(place, message(`Opening ${name} ...`));
  const run = await get("/api/run", { path: name });
  if (!isHere()) return null;
  const jobOf = (job, others, time) => showJob(run, job, others, time);
  const beginAt = watched === name ? run.last : null; // where the live view was
  watched = null;
  const body = h("div", { class: "run" });
  replace(place, heading(run), body);
  return run.is_live ? showLive(body, run, jobOf, () => { watched = name; }) : showReplay(body, run, jobOf, beginAt);
}

function heading(run) {
  const state = run.is_live ? "live" : run.status === "complete" ? "finished" : run.status;
  const links = run.files.map((file) => h("a", { href: `/api/file?${new URLSearchParams({ path: run.name, name: file })}`, download: "" }, file));
  return h("div", { class: "bar title" }, h("h1", { title: run.name }, run.name), badge(state),
    h("span", { class: "faint" }, [`${run.scheduler} + ${run.allocator} on ${run.system.name}`, run.changed_options].filter(Boolean).join(", ")),
    h("span", { class: "grow" }), h("span", { class: "links" }, links));
}
