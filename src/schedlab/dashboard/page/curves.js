// Curves over time: jobs queued and running, and what is in use of each resource.

import { get, plotly } from "./api.js";
import { ink, lineColours } from "./colours.js";
import { debounced } from "./dom.js";
import { fromAxis, onAxis, unitOf } from "./format.js";

const DASHES = ["solid", "dash", "dot", "dashdot"];

// Returns a name as a plot shows it: Plotly takes signs of HTML for markup.
export const plain = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

// Returns what all plots share, in the colours of the page.
export function layoutOf(more) {
  const axis = { gridcolor: ink("line"), linecolor: ink("line"), zerolinecolor: ink("line"), automargin: true };
  const { xaxis, yaxis, yaxis2, yaxis3, ...rest } = more;
  return {
    margin: { l: 56, r: 12, t: 30, b: 30 }, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: "system-ui, sans-serif", size: 11, color: ink("ink") }, showlegend: true, hovermode: "x unified",
    modebar: { bgcolor: "rgba(0,0,0,0)", color: ink("faint"), activecolor: ink("accent") },
    hoverlabel: { bgcolor: ink("card"), bordercolor: ink("line") },
    // In a line of its own above the curves, below the toolbar.
    legend: { orientation: "h", x: 0, y: 1.01, yanchor: "bottom" },
    xaxis: { ...axis, ...xaxis }, yaxis: { ...axis, rangemode: "tozero", ...yaxis },
    ...(yaxis2 ? { yaxis2: { ...axis, rangemode: "tozero", ...yaxis2 } } : {}),
    ...(yaxis3 ? { yaxis3: { ...axis, rangemode: "tozero", ...yaxis3 } } : {}), ...rest,
  };
}

export const CONFIG = { responsive: true, displaylogo: false, displayModeBar: "hover", showSendToCloud: false,
  modeBarButtons: [["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"]] };

export class Curves {
  // onTime(time) is called when the plot is clicked.
  constructor(place, run, { live = false, onTime = () => {} } = {}) {
    this.place = place;
    this.run = run;
    this.live = live;
    this.onTime = onTime;
    this.start = run.system.calendar;
    this.unit = unitOf(live ? Infinity : run.last - run.first);
    this.types = Object.keys(run.system.capacity);
    this.data = { time: [], columns: {} };
    this.drawn = false;
    this.zoom = debounced(250, () => this.#refine());
  }

  close() {
    if (this.drawn) window.Plotly.purge(this.place);
  }

  async load() {
    if (!(this.run.last > this.run.first)) return false;
    this.coarse = await get("/api/run/curves", { path: this.run.name, first: this.run.first, last: this.run.last, bins: 1000 });
    if (!this.coarse.time.length) return false;
    this.data = this.coarse;
    await this.draw();
    return true;
  }

  // Takes increments of a live run: all from a bin on.
  async add(increment) {
    const { begin, time, columns } = increment;
    const keep = increment.merges === this.merges ? begin : 0;
    this.merges = increment.merges;
    this.data.time = [...this.data.time.slice(0, keep), ...time];
    for (const [name, { mean, max }] of Object.entries(columns)) {
      const before = this.data.columns[name] ?? { mean: [], max: [] };
      this.data.columns[name] = { mean: [...before.mean.slice(0, keep), ...mean], max: [...before.max.slice(0, keep), ...max] };
    }
  }

  #traces() {
    const colours = lineColours();
    const x = this.data.time.map((time) => onAxis(time, this.start, this.unit));
    const line = (name, y, colour, more = {}) => ({ x, y, name, type: "scatter", mode: "lines", ...more,
      line: { color: colour, width: 1.5, shape: "hv", ...more.line } });
    const { queued, running } = this.data.columns;
    const traces = [];
    if (queued) {
      traces.push(line("queued, most", queued.max, colours[1], { line: { width: 0.8, dash: "dot" }, opacity: 0.7, hovertemplate: "%{y:,.0f}" }));
      traces.push(line("queued", queued.mean, colours[1], { hovertemplate: "%{y:,.1f}" }));
      traces.push(line("running", running.mean, colours[0], { yaxis: "y3", hovertemplate: "%{y:,.1f}" }));
    }
    this.types.forEach((kind, i) => {
      const used = this.data.columns[`${kind}_used`];
      if (!used) return;
      const share = used.mean.map((value) => (100 * value) / this.run.system.capacity[kind]);
      traces.push(line(`${plain(kind)} in use`, share, colours[(2 + i) % colours.length], { yaxis: "y2", hovertemplate: "%{y:.1f} %", line: { dash: DASHES[i % DASHES.length] } }));
    });
    return traces;
  }

  #layout() {
    const x = this.start ? { type: "date", title: { text: `time (${this.start.zone})` } } : { title: { text: `time (${this.unit.name})` } };
    return layoutOf({
      height: this.live ? 360 : 430, uirevision: "kept", shapes: this.#shapes(), dragmode: "zoom",
      margin: { l: 56, r: 12, t: 54, b: 36 },
      xaxis: { ...x, anchor: "y2", rangeslider: this.live ? { visible: false } : { visible: true, thickness: 0.07, bgcolor: ink("idle") } },
      // Each has a scale of its own: a queue of thousands would press the running jobs flat.
      yaxis: { title: { text: "queued" }, domain: [0.7, 1], nticks: 4 },
      yaxis3: { title: { text: "running" }, domain: [0.36, 0.64], nticks: 4 },
      yaxis2: { title: { text: "in use (%)" }, domain: [0, 0.3], range: [0, 105], nticks: 4 },
    });
  }

  #shapes() {
    if (this.now === undefined) return [];
    const x = onAxis(this.now, this.start, this.unit);
    return [{ type: "line", xref: "x", yref: "paper", x0: x, x1: x, y0: 0, y1: 1, line: { color: ink("ink"), width: 1.5 } }];
  }

  async draw() {
    const Plotly = await plotly();
    await Plotly.react(this.place, this.#traces(), this.#layout(), CONFIG);
    if (this.drawn) return;
    this.drawn = true;
    this.place.on("plotly_click", ({ points }) => this.onTime(fromAxis(points[0].x, this.start, this.unit)));
    this.place.on("plotly_relayout", (change) => {
      if (!this.live && Object.keys(change).some((key) => key.startsWith("xaxis."))) this.zoom();
    });
  }

  setTime(time) {
    this.now = time;
    if (!this.drawn || this.moving) return;
    this.moving = true;
    setTimeout(() => {
      this.moving = false;
      if (this.place.isConnected) window.Plotly.relayout(this.place, { shapes: this.#shapes() });
    }, 120);
  }

  // Asks for finer curves where the plot was zoomed into; the rest stays for the range slider.
  async #refine() {
    const range = this.place.layout?.xaxis?.range;
    if (!range || !this.place.isConnected) return;
    const [from, to] = range.map((value) => fromAxis(value, this.start, this.unit));
    const first = Math.max(from, this.run.first);
    const last = Math.min(to, this.run.last);
    if (!(last > first) || last - first > 0.7 * (this.run.last - this.run.first)) this.data = this.coarse;
    else {
      const fine = await get("/api/run/curves", { path: this.run.name, first, last, bins: 1000 });
      this.data = this.#merged(fine, first, last);
    }
    await this.draw();
  }

  #merged(fine, first, last) {
    const { time, columns } = this.coarse;
    const before = time.findIndex((one) => one >= first);
    const cut = before < 0 ? time.length : before;
    const behind = time.findIndex((one) => one >= last);
    const rest = behind < 0 ? time.length : behind;
    const join = (coarse, inside) => [...coarse.slice(0, cut), ...inside, ...coarse.slice(rest)];
    const merged = { time: join(time, fine.time), columns: {} };
    for (const [name, { mean, max }] of Object.entries(columns)) {
      merged.columns[name] = { mean: join(mean, fine.columns[name].mean), max: join(max, fine.columns[name].max) };
    }
    return merged;
  }
}
