// The list of runs and experiments.

import { get } from "./api.js";
import { debounced, h, latest, message, replace } from "./dom.js";
import { count, date, decimal, duration, many, percent } from "./format.js";
import { tellApart } from "./names.js";
import { choose, chosen } from "./selection.js";

const PAGE = 100;
const LONGEST_NAME = 90; // letters of a run's name
const EVERY = 3000; // milliseconds between looks for new runs

const COLUMNS = [
  ["name", "run", (row, label) => h("a", { class: "whole", href: `#/run/${encodeURIComponent(row.name)}`, title: row.name }, label)],
  ["state", "state", (row) => badge(row.state)],
  ["scheduler", "scheduler", (row) => [cut(row.scheduler), row.options ? h("span", { class: "faint cut block", title: row.options }, row.options) : null]],
  ["allocator", "allocator", (row) => cut(row.allocator)],
  ["system", "system", (row) => cut(row.system)],
  ["workload", "workload", (row) => cut(row.workload)],
  ["jobs", "jobs", (row) => count(row.jobs), "number"],
  ["mean_wait", "mean wait", (row) => duration(row.mean_wait), "number"],
  ["mean_bounded_slowdown", "mean bounded slowdown", (row) => decimal(row.mean_bounded_slowdown, 1), "number"],
  ["utilization", "utilization", (row) => percent(row.utilization), "number"],
  ["makespan", "makespan", (row) => duration(row.makespan), "number"],
  ["changed", "written (UTC)", (row) => (row.changed ? date(row.changed).slice(0, 16) : "-"), "number"],
];

export function badge(state) {
  return h("span", { class: `badge ${state}` }, state);
}

function cut(text) {
  return text === null || text === undefined ? "-" : h("span", { class: "cut", title: text }, text);
}

export async function showList(place, experiment, isHere) {
  const request = { query: "", sort: "changed", descending: true, experiment, offset: 0, limit: PAGE };
  let shown = { names: [] };
  const search = h("input", {
    type: "search", placeholder: "filter: name, scheduler, state ...", "aria-label": "Filter runs",
    oninput: debounced(150, () => change({ query: search.value.slice(0, 200), offset: 0 })),
  });
  const total = h("span", { class: "faint", id: "total" });
  const compare = h("button", { onclick: () => { location.hash = "#/compare"; }, id: "compare" }, "Compare");
  const all = h("button", { onclick: () => { choose(shown.names); refresh(); }, id: "choose-all" }, "Choose all found");
  const none = h("button", { onclick: () => { choose([]); refresh(); } }, "Choose none");
  const experiments = h("div", { class: "experiments" });
  const head = h("thead");
  const body = h("tbody");
  const pager = h("div", { class: "pager" });
  const note = h("div");
  replace(place,
    h("h1", {}, experiment ? `Experiment ${experiment}` : "Runs"), experiments,
    h("div", { class: "bar" }, search, total, h("span", { class: "grow" }), all, none, compare),
    note, h("div", { class: "card flush" }, h("div", { class: "scroll", tabIndex: 0 }, h("table", { class: "runs" }, head, body))), pager);

  const refresh = latest(async () => {
    let answer;
    try {
      answer = await get("/api/runs", request);
    } catch (error) {
      replace(note, message(error.message, "error"));
      return;
    }
    if (!isHere()) return;
    shown = answer;
    drawNote(answer);
    drawExperiments(answer.experiments);
    drawHead();
    const label = tellApart(answer.rows.map(({ name }) => name), LONGEST_NAME);
    replace(body, answer.rows.map((row) => drawRow(row, label.get(row.name))));
    drawPager(answer);
    total.textContent = answer.found === answer.total ? many(answer.total, "run") : `${count(answer.found)} of ${count(answer.total)} runs`;
    drawChosen();
  });

  function change(more) {
    Object.assign(request, more);
    refresh();
  }

  function drawNote(answer) {
    if (answer.total) replace(note, answer.is_whole ? null : message("This folder is very large; not everything in it was read.", "warning"));
    else replace(note, message("There are no runs here yet. Start one under New simulation, or with: schedlab run WORKLOAD --system FILE --out " + "DIR/NAME"));
  }

  function drawExperiments(found) {
    if (experiment) {
      const { files } = found.find(({ name }) => name === experiment) ?? { files: [] };
      replace(experiments, h("a", { href: "#/" }, "all runs"), files.map((file) => h("a", { download: "",
        href: `/api/file?${new URLSearchParams({ path: experiment, name: file })}` }, file)));
      return;
    }
    replace(experiments, found.map(({ name, runs }) => h("a", { class: "card", href: `#/list/${encodeURIComponent(name)}` },
      h("strong", {}, name === "." ? "this folder" : name), h("span", { class: "faint" }, ` experiment, ${many(runs, "run")}`))));
  }

  function drawHead() {
    const cells = COLUMNS.map(([key, title, , kind]) => {
      const active = request.sort === key;
      const order = active ? (request.descending ? "descending" : "ascending") : null;
      const button = h("button", { class: "sort", onclick: () => change({ sort: key, descending: active && !request.descending, offset: 0 }) },
        title, active ? h("span", { "aria-hidden": "true" }, request.descending ? " ▾" : " ▴") : null);
      return h("th", { class: kind, scope: "col", "aria-sort": order }, button);
    });
    replace(head, h("tr", {}, h("th", { scope: "col", title: "for comparing" }, ""), cells));
  }

  function drawRow(row, label) {
    const done = ["finished", "interrupted", "failed"].includes(row.state);
    const box = h("input", { type: "checkbox", checked: chosen().includes(row.name), disabled: !done, "aria-label": `choose ${row.name}`,
      onchange: () => { choose(box.checked ? [...chosen(), row.name] : chosen().filter((name) => name !== row.name)); drawChosen(); } });
    return h("tr", { "data-run": row.name }, h("td", {}, box), COLUMNS.map(([, , text, kind]) => h("td", { class: kind }, text(row, label))));
  }

  function drawChosen() {
    const number = chosen().length;
    compare.textContent = number ? `Compare ${count(number)}` : "Compare";
    compare.disabled = number < 2;
  }

  function drawPager(answer) {
    const last = Math.min(request.offset + PAGE, answer.found);
    if (answer.found <= PAGE) {
      replace(pager);
      return;
    }
    replace(pager,
      h("button", { disabled: request.offset === 0, onclick: () => change({ offset: Math.max(0, request.offset - PAGE) }) }, "Back"),
      h("span", {}, `${count(request.offset + 1)} to ${count(last)} of ${count(answer.found)}`),
      h("button", { disabled: last >= answer.found, onclick: () => change({ offset: request.offset + PAGE }) }, "Next"));
  }

  await refresh();
  const timer = setInterval(() => {
    if (!document.hidden) refresh();
  }, EVERY);
  return () => clearInterval(timer);
}
