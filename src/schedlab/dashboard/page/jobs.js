// The table of all jobs, a page at a time.

import { get } from "./api.js";
import { colour } from "./colours.js";
import { debounced, h, latest, message, replace } from "./dom.js";
import { count, decimal, duration, many, moment } from "./format.js";

const PAGE = 50;
const TITLES = { job_id: "job", bounded_slowdown: "bounded slowdown" };

export function jobsTable(place, run, onJob) {
  const request = { path: run.name, query: "", sort: "submit", descending: false, offset: 0, limit: PAGE };
  const start = run.system.calendar;
  const search = h("input", { type: "search", placeholder: "job number, user:7, killed ...", "aria-label": "Search jobs",
    oninput: debounced(200, () => change({ query: search.value.slice(0, 200), offset: 0 })) });
  const total = h("span", { class: "faint" });
  const table = h("div", { class: "scroll" });
  const pager = h("span", { class: "pager" });
  replace(place, h("div", { class: "bar" }, h("h2", {}, "Jobs"), search, total, h("span", { class: "grow" }), pager), table);

  const text = {
    submit: (value) => moment(value, start), start: (value) => moment(value, start), end: (value) => moment(value, start),
    wait: duration, estimate: duration, bounded_slowdown: decimal, tasks: count,
    user: (value) => (value < 0 ? "-" : String(value)), state: String,
    job_id: (value) => h("button", { class: "link", onclick: () => onJob(value) }, h("i", { class: "swatch", style: `background:${colour(value)}` }), String(value)),
  };

  const refresh = latest(async () => {
    try {
      draw(await get("/api/run/jobs", request));
    } catch (error) {
      replace(table, message(error.message, "error"));
      replace(pager);
      total.textContent = "";
    }
  });

  function change(more) {
    Object.assign(request, more);
    return refresh();
  }

  function draw({ columns, rows, found, total: all }) {
    total.textContent = found === all ? many(all, "job") : `${count(found)} of ${count(all)} jobs`;
    const kind = (name) => (["job_id", "state"].includes(name) ? null : "number");
    const head = columns.map((name) => {
      const active = request.sort === name;
      return h("th", { class: kind(name), scope: "col", "aria-sort": active ? (request.descending ? "descending" : "ascending") : null },
        h("button", { class: "sort", onclick: () => change({ sort: name, descending: active && !request.descending, offset: 0 }) },
          TITLES[name] ?? name, active ? (request.descending ? " ▾" : " ▴") : null));
    });
    const body = rows.map((row) => h("tr", {}, row.map((value, i) => h("td", { class: kind(columns[i]) }, text[columns[i]](value)))));
    replace(table, rows.length ? h("table", { class: "jobs" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, body)) : message("No job matches."));
    const last = Math.min(request.offset + PAGE, found);
    replace(pager, found > PAGE ? [
      h("button", { disabled: request.offset === 0, onclick: () => change({ offset: Math.max(0, request.offset - PAGE) }) }, "Back"),
      h("span", {}, ` ${count(request.offset + 1)} to ${count(last)} `),
      h("button", { disabled: last >= found, onclick: () => change({ offset: request.offset + PAGE }) }, "Next")] : null);
  }

  return refresh();
}
