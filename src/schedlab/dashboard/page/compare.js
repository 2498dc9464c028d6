// Runs side by side.

import { get, post } from "./api.js";
import { comparisonPlots, differencePlot } from "./compareplots.js";
import { h, message, replace } from "./dom.js";
import { count, decimal, duration, moment, percent } from "./format.js";
import { tellApart } from "./names.js";
import { choose, chosen } from "./selection.js";

const MOST_ROWS = 200; // of the table at once
const LONGEST = 30; // letters of a name in a plot
const LONGEST_IN_TABLE = 70;

export async function showCompare(place, _, isHere) {
  const names = chosen();
  if (names.length < 2) {
    replace(place, h("h1", {}, "Compare"), message("Choose two or more finished runs in the list of runs first."), h("a", { href: "#/" }, "Runs"));
    return null;
  }
  replace(place, message(`Comparing ${count(names.length)} runs ...`));
  const comparison = await post("/api/compare", { runs: names });
  if (!isHere()) return null;
  const table = h("section", { class: "card", id: "comparison" });
  const plots = h("div", { class: "plots" });
  const pairs = h("section", { class: "card", id: "pairs" });
  const problems = comparison.unreadable.map(({ name, error }) => message(`${name}: ${error}`, "error"));
  replace(place, h("div", { class: "bar title" }, h("h1", {}, `Compare ${count(comparison.rows.length)} runs`)), problems.slice(0, 5),
    problems.length > 5 ? message(`and ${problems.length - 5} more that cannot be read`, "error") : null, table, plots, pairs);
  drawTable(table, comparison, { column: -1, descending: false, shown: MOST_ROWS });
  if (comparison.rows.length < 2) return null;
  const label = shortNames(comparison.rows.map(({ name }) => name));
  drawPairs(pairs, comparison.rows.map(({ name }) => name), isHere);
  const runs = await Promise.all(comparison.drawn.map(async (name) => ({ name: label.get(name), ...(await get("/api/compare/run", { path: name })) })));
  if (!isHere()) return null;
  return comparisonPlots(plots, runs, comparison.rows.length);
}

// Returns what all names end with, from a separator on: of "fifo+first-fit/01" and "easy+first-fit/01", "+first-fit/01".
function commonEnd(names) {
  const [first] = names;
  for (const { index } of first.matchAll(/[+/]/g)) {
    const end = first.slice(index);
    if (names.every((name) => name.endsWith(end) && name.length > end.length)) return end;
  }
  return "";
}

// Returns names without what all of them begin or end with, and none too long for a plot.
function shortNames(names) {
  const parts = names.map((name) => name.split("/"));
  let same = 0;
  while (parts.every((part) => part.length > same + 1 && part[same] === parts[0][same])) same += 1;
  const rests = parts.map((part) => part.slice(same).join("/"));
  const end = names.length > 1 ? commonEnd(rests).length : 0;
  const kept = rests.map((rest) => rest.slice(0, rest.length - end));
  const short = tellApart(kept, LONGEST);
  return new Map(names.map((name, i) => [name, short.get(kept[i])]));
}

function shown(value, unit) {
  if (value === null || value === undefined) return "-";
  if (unit === "s") return duration(value);
  if (unit === "cpu") return `${decimal(value, 3)} s`;
  if (unit === "%") return percent(value);
  return Number.isInteger(value) ? count(value) : decimal(value);
}

// Leaves out columns of nothing but zeros: no run rejects or kills a job in most comparisons.
function withoutZeros({ columns, rows }) {
  const kept = columns.map((_, i) => rows.some(({ values }) => values[i] !== 0));
  return { columns: columns.filter((_, i) => kept[i]), rows: rows.map((row) => ({ ...row, values: row.values.filter((_, i) => kept[i]) })) };
}

const kindOf = ({ inputs }) => JSON.stringify(inputs);

function about({ dispatcher, options, system, workload, status }, withWorkload) {
  const what = options ? `${dispatcher}, ${options}, on ${system}` : `${dispatcher} on ${system}`;
  const whole = status === "complete" ? what : `${what} (${status})`;
  return withWorkload ? `${whole}, ${workload}` : whole;
}

function drawTable(place, comparison, order) {
  const { columns, rows } = withoutZeros(comparison);
  // The best of a column is the best of one workload on one system, of whole runs: others are not comparable.
  const kinds = new Set(rows.map(kindOf));
  const best = new Map([...kinds].map((kind) => [kind, columns.map(({ best: which }, i) => {
    const values = rows.filter((row) => row.status === "complete" && kindOf(row) === kind).map(({ values: row }) => row[i]).filter((value) => value !== null);
    if (!which || new Set(values).size < 2) return null;
    return values.reduce((a, b) => (which === "min" ? Math.min(a, b) : Math.max(a, b)));
  })]));
  const isBest = (row, i) => row.status === "complete" && row.values[i] !== null && row.values[i] === best.get(kindOf(row))[i];
  const sorted = order.column < 0 ? rows : [...rows].sort((a, b) => {
    const [one, other] = [a, b].map(({ values }) => values[order.column] ?? Infinity);
    return order.descending ? other - one : one - other;
  });
  const head = columns.map(({ name }, i) => h("th", { class: "number", scope: "col", "aria-sort": order.column === i ? (order.descending ? "descending" : "ascending") : null },
    h("button", { class: "sort", onclick: () => drawTable(place, comparison, { ...order, column: i, descending: order.column === i && !order.descending }) },
      name, order.column === i ? (order.descending ? " ▾" : " ▴") : null)));
  const label = tellApart(rows.map(({ name }) => name), LONGEST_IN_TABLE);
  const body = sorted.slice(0, order.shown).map((row) => { const { name, values } = row; return h("tr", { "data-run": name },
    h("td", {}, h("a", { class: "name", title: name, href: `#/run/${encodeURIComponent(name)}` }, label.get(name)),
      h("div", { class: "faint name", title: about(row, true) }, about(row, kinds.size > 1))),
    values.map((value, i) => h("td", { class: `number${isBest(row, i) ? " best" : ""}` },
      shown(value, columns[i].unit), isBest(row, i) ? h("span", { title: "best" }, " ★") : null)),
    h("td", {}, h("button", { class: "link", title: "Leave out", "aria-label": `leave out ${name}`, onclick: () => { choose(chosen().filter((one) => one !== name)); dispatchEvent(new Event("schedlab-reopen")); } }, "✕"))); });
  const more = sorted.length > order.shown ? h("button", { onclick: () => drawTable(place, comparison, { ...order, shown: order.shown + 1000 }) }, `Show all ${count(sorted.length)}`) : null;
  replace(place, h("div", { class: "bar" }, h("h2", {}, "Metrics"), h("span", { class: "faint" }, kinds.size > 1 ? "★ is the best of a column among runs of the same workload and system" : "★ is the best of a column")),
    h("div", { class: "scroll tall", tabIndex: 0 }, h("table", { class: "compare" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "run"), head, h("th"))), h("tbody", {}, body))), more);
}

function drawPairs(place, names, isHere) {
  const label = shortNames(names);
  const select = (at, id) => h("select", { id, "aria-label": `${at ? "second" : "first"} run`, onchange: refresh },
    names.slice(0, 500).map((name, i) => h("option", { value: name, selected: i === at }, label.get(name))));
  const one = select(0, "one");
  const other = select(1, "other");
  const body = h("div");
  replace(place, h("div", { class: "bar" }, h("h2", {}, "Job by job"), h("label", {}, "from ", one), h("label", {}, "to ", other)), body);

  async function refresh() {
    replace(body, message("Comparing jobs ..."));
    try {
      const pair = await get("/api/compare/jobs", { one: one.value, other: other.value });
      if (isHere()) await drawPair(body, pair, label.get(one.value), label.get(other.value));
    } catch (error) {
      replace(body, message(error.message, "error"));
    }
  }
  refresh();
}

async function drawPair(place, pair, one, other) {
  const plot = h("div", { class: "plot" });
  const rows = pair.largest.map((row) => Object.fromEntries(row.map((value, i) => [pair.columns[i], value])));
  const cells = (row) => [String(row.job_id), row.user < 0 ? "-" : String(row.user), count(row.tasks), moment(row.submit, pair.calendar), duration(row.wait), duration(row.other), `${row.difference > 0 ? "+" : ""}${duration(row.difference)}`];
  const head = ["job", "user", "tasks", "submitted", `wait, ${one}`, `wait, ${other}`, "difference"];
  replace(place,
    h("p", {}, `Of ${count(pair.jobs)} jobs that ran in both, ${count(pair.shorter)} wait less in ${other}, ${count(pair.longer)} longer, ${count(pair.same)} as long. Mean difference: ${pair.mean > 0 ? "+" : ""}${duration(pair.mean)}.`),
    h("div", { class: "halves" }, plot, h("div", { class: "scroll" }, h("h3", {}, "Largest differences"), h("table", {}, h("thead", {}, h("tr", {}, head.map((name, i) => h("th", { class: i ? "number" : null, scope: "col" }, name)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, cells(row).map((text, i) => h("td", { class: i ? "number" : null }, text)))))))));
  await differencePlot(plot, pair, other);
}
