// Plots of several runs.

import { plotly } from "./api.js";
import { lineColours } from "./colours.js";
import { CONFIG, layoutOf, plain } from "./curves.js";
import { h, message, replace } from "./dom.js";
import { HOUR, onAxis, unitOf } from "./format.js";

const DASHES = ["solid", "dash", "dot", "dashdot"];

export async function comparisonPlots(place, given, all) {
  const runs = given.map((run) => ({ ...run, name: plain(run.name) }));
  const Plotly = await plotly();
  const colours = lineColours();
  const look = runs.map((_, i) => ({ color: colours[i % colours.length], dash: DASHES[(i + Math.floor(i / colours.length)) % DASHES.length], width: 1.8 }));
  const cards = ["Waits", "Queue", "Bounded slowdown"].map((title) => ({ title, plot: h("div", { class: "plot" }) }));
  replace(place, all > runs.length ? message(`Plots show the first ${runs.length} of ${all} runs.`) : null,
    cards.map(({ title, plot }) => h("section", { class: "card" }, h("h2", {}, title), plot)));
  const [waits, queue, slowdowns] = cards.map(({ plot }) => plot);
  const legend = { legend: { orientation: "h", x: 0, y: -0.34, yanchor: "top" }, height: 390, margin: { l: 60, r: 12, t: 30, b: 40 } };

  await Plotly.newPlot(waits, runs.map((run, i) => ({ x: run.wait.map((wait) => Math.max(wait, 1) / HOUR), y: run.share.map((share) => 100 * share), name: run.name, mode: "lines", type: "scatter",
    line: { ...look[i], shape: "hv" }, hovertemplate: "%{y:.1f} % wait at most %{x:,.3g} h" })),
  layoutOf({ ...legend, hovermode: "closest", xaxis: { type: "log", title: { text: "wait (hours; 1 s stands for less)" } }, yaxis: { title: { text: "jobs that wait at most this long (%)" }, range: [0, 101] } }), CONFIG);

  const dated = runs.every((run) => run.calendar) && new Set(runs.map(({ calendar }) => calendar.zone)).size === 1;
  const unit = unitOf(Math.max(0, ...runs.filter((run) => run.curves).map(({ curves: { time } }) => time.at(-1) - time[0])));
  await Plotly.newPlot(queue, runs.filter((run) => run.curves).map((run) => ({ x: run.curves.time.map((time) => onAxis(time, dated ? run.calendar : null, unit)), y: run.curves.queued, name: run.name,
    mode: "lines", type: "scatter", line: { ...look[runs.indexOf(run)], shape: "hv" }, hovertemplate: "%{y:,.1f} queued" })),
  layoutOf({ ...legend, hovermode: "x", xaxis: dated ? { type: "date", title: { text: `time (${runs[0].calendar.zone})` } } : { title: { text: `time (${unit.name})` } }, yaxis: { title: { text: "jobs queued" } } }), CONFIG);

  const boxes = runs.filter((run) => run.slowdown).map((run) => {
    const [low, first, median, third, high] = run.slowdown.box;
    return { type: "box", name: run.name, x: [run.name], lowerfence: [low], q1: [first], median: [median], q3: [third], upperfence: [high], mean: [run.slowdown.mean],
      line: { color: look[runs.indexOf(run)].color }, boxmean: true, showlegend: false };
  });
  await Plotly.newPlot(slowdowns, boxes, layoutOf({ ...legend, showlegend: false, hovermode: "closest", xaxis: { type: "category" },
    yaxis: { type: "log", rangemode: "normal", title: { text: "bounded slowdown" } } }), CONFIG);
  slowdowns.after(h("p", { class: "hint" }, "Box: quarter, median and three quarters of the jobs; whiskers: 5 % and 95 %; dashed: mean."));
  return () => cards.forEach(({ plot }) => Plotly.purge(plot));
}

export async function differencePlot(place, pair, other) {
  const Plotly = await plotly();
  const [colour] = lineColours();
  await Plotly.newPlot(place, [{ x: pair.share.map((share) => 100 * share), y: pair.difference.map((value) => value / HOUR), mode: "lines", type: "scatter", line: { color: colour, shape: "hv" },
    hovertemplate: "%{x:.0f} % of the jobs: %{y:,.3g} h or less", fill: "tozeroy", name: "difference" }],
  layoutOf({ height: 320, showlegend: false, hovermode: "closest", margin: { l: 60, r: 12, t: 30, b: 40 }, xaxis: { title: { text: "jobs, by difference (%)" } },
    yaxis: { title: { text: `wait in ${other.length > 24 ? "the second" : plain(other)}, more (h)` }, rangemode: "normal" } }), CONFIG);
}
