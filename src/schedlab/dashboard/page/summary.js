// The facts and metrics of a finished run.

import { h, replace } from "./dom.js";
import { count, decimal, duration, moment, percent } from "./format.js";

export function summary(place, run) {
  const { metrics, system, counts, simulator } = run;
  const seconds = ["wait", "turnaround"];
  const rows = ["wait", "slowdown", "bounded_slowdown", "turnaround"].map((name) => {
    const values = metrics[name] ?? {};
    const text = seconds.includes(name) ? duration : (value) => decimal(value);
    return h("tr", {}, h("th", { scope: "row" }, name.replace("_", " ")), ["mean", "median", "p95", "max"].map((key) => h("td", { class: "number" }, text(values[key]))));
  });
  const facts = [
    ["jobs", Object.entries(counts).filter(([, number]) => number).map(([state, number]) => `${count(number)} ${state}`).join(", ") || "none"],
    ["utilization", Object.entries(metrics.utilization).map(([kind, share]) => `${kind} ${percent(share)}`).join(", ")],
    ["makespan", `${duration(metrics.makespan)}, ${decimal(metrics.throughput_per_hour)} jobs per hour`],
    ...(run.machine ?? []),
    ["time", `${moment(run.first, system.calendar)} to ${moment(run.last, system.calendar)}${system.calendar ? ` (${system.calendar.zone})` : ""}`],
    ["machine", `${system.name}: ${count(system.nodes)} nodes, ${Object.entries(system.capacity).map(([kind, all]) => `${count(all)} ${kind}`).join(", ")}`],
    ["workload", run.workload.path ?? "jobs from Python"],
    ["rows skipped", Object.entries(run.workload.skipped).map(([why, { rows: number }]) => `${count(number)}: ${why}`).join("; ")],
    ["options", run.changed_options || "all as by default"],
    ["simulator", `${decimal(simulator.cpu_seconds, 3)} s CPU, ${decimal(simulator.peak_memory_bytes / 1e6, 1)} MB, schedlab ${run.schedlab}`],
  ].filter(([, text]) => text);
  replace(place, h("h2", {}, "Summary"),
    h("div", { class: "scroll" }, h("table", { class: "metrics" }, h("thead", {}, h("tr", {}, h("td"), ["mean", "median", "95th", "max"].map((name) => h("th", { class: "number", scope: "col" }, name)))), h("tbody", {}, rows))),
    h("dl", {}, facts.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)])));
}
