// The Gantt chart: time across, nodes down; the server paints the part that is visible.

import { getBytes } from "./api.js";
import { dark, ink } from "./colours.js";
import { debounced, h, latest, replace } from "./dom.js";
import { count, duration, moment, timeTicks } from "./format.js";
import { drawBands, drawBoxes, lanesOf, paint, readPicture, statesOf } from "./ganttpicture.js";

const LEFT = 58;
const BOTTOM = 22;
const HEIGHT = 340;

export class Gantt {
  // onJob(job, time, node) is called when a job is clicked, onTime(time) when an idle place is.
  constructor(place, run, { onJob, onTime, onView }) {
    this.run = run;
    this.onJob = onJob;
    this.onTime = onTime;
    this.onView = onView ?? (() => {});
    const end = Math.max(run.last, run.first + 1);
    this.whole = { first: run.first, last: end, top: 0, bottom: run.system.nodes };
    this.view = { ...this.whole };
    this.canvas = h("canvas", { class: "gantt", tabIndex: 0, role: "img", style: `height:${HEIGHT}px`,
      "aria-label": "Gantt chart. Plus and minus zoom, arrows move, 0 shows everything." });
    this.tip = h("div", { class: "tip", hidden: true });
    this.where = h("span", { class: "faint", id: "gantt-view" });
    this.states = h("p", { class: "hint", id: "gantt-states" });
    const button = (text, title, action) => h("button", { title, onclick: action }, text);
    replace(place,
      h("div", { class: "bar" }, h("h2", {}, "Gantt"), this.where, h("span", { class: "grow" }),
        button("◂", "Earlier", () => this.move(-0.5)), button("▸", "Later", () => this.move(0.5)),
        button("−", "Zoom out", () => this.zoom(2)), button("+", "Zoom in", () => this.zoom(0.5)),
        button("All", "Show everything", () => this.show(this.whole))),
      this.canvas, this.tip, this.states,
      h("p", { class: "hint" }, "Wheel: zoom time (with Shift: nodes). Drag: zoom into a box. Double click: everything. Click a job: all about it. ",
        "Grey: jobs too short for a pixel. Of jobs that share a node, the one with most tasks is shown; zoom in to see them all."));
    this.place = place;
    this.now = null;
    this.picture = null;
    this.load = latest(() => this.#load());
    this.loadSoon = debounced(60, this.load);
    this.observer = new ResizeObserver(() => { this.draw(); this.loadSoon(); });
    this.observer.observe(place);
    this.#listen();
  }

  close() {
    this.observer.disconnect();
  }

  get width() {
    return Math.max(50, Math.floor(this.canvas.clientWidth) - LEFT);
  }

  get height() {
    return HEIGHT - BOTTOM;
  }

  async #load() {
    const requested = { ...this.view };
    const width = Math.min(4096, this.width);
    try {
      const content = await getBytes("/api/run/gantt", { path: this.run.name, ...requested, width, height: Math.min(4096, this.height) });
      this.picture = paint(readPicture(content), dark());
      this.lanes = lanesOf(this.picture.head.boxes);
      const states = statesOf(this.picture.head.bands ?? []);
      replace(this.states, states.map(([state, shade]) => h("span", { "data-state": state }, h("i", { class: "swatch", style: `background:${shade}` }), ` ${state}  `)));
      this.draw();
      this.canvas.dataset.loads = String(Number(this.canvas.dataset.loads || 0) + 1);
    } catch (error) {
      this.where.textContent = error.message;
    }
  }

  // Shows a part, as far as there is one.
  show(view) {
    const whole = this.whole;
    const long = Math.min(Math.max(view.last - view.first, 1e-3), whole.last - whole.first);
    const first = Math.min(Math.max(view.first, whole.first), whole.last - long);
    const nodes = Math.min(Math.max(1, Math.round(view.bottom - view.top)), whole.bottom);
    const top = Math.min(Math.max(0, Math.round(view.top)), whole.bottom - nodes);
    this.view = { first, last: first + long, top, bottom: top + nodes };
    this.draw();
    this.loadSoon();
    this.onView(this.view);
  }

  zoom(factor, x = 0.5, y = null) {
    const { first, last, top, bottom } = this.view;
    const at = first + x * (last - first);
    const node = top + (y ?? 0) * (bottom - top);
    const across = y === null ? factor : 1;
    const down = y === null ? 1 : factor;
    this.show({ first: at - (at - first) * across, last: at + (last - at) * across,
      top: node - (node - top) * down, bottom: node + (bottom - node) * down });
  }

  move(share, down = 0) {
    const { first, last, top, bottom } = this.view;
    const time = share * (last - first);
    const nodes = Math.sign(down) * Math.ceil(Math.abs(down) * (bottom - top));
    this.show({ first: first + time, last: last + time, top: top + nodes, bottom: bottom + nodes });
  }

  setTime(time) {
    this.now = time;
    this.draw();
  }

  #x(time) {
    return LEFT + ((time - this.view.first) / (this.view.last - this.view.first)) * this.width;
  }

  #y(node) {
    return ((node - this.view.top) / (this.view.bottom - this.view.top)) * this.height;
  }

  draw() {
    const ratio = devicePixelRatio || 1;
    const full = this.width + LEFT;
    this.canvas.width = full * ratio;
    this.canvas.height = HEIGHT * ratio;
    const context = this.canvas.getContext("2d");
    context.scale(ratio, ratio);
    context.save();
    context.beginPath();
    context.rect(LEFT, 0, this.width, this.height);
    context.clip();
    context.fillStyle = ink("idle");
    context.fillRect(LEFT, 0, this.width, this.height);
    if (this.picture) {
      const { image, head } = this.picture;
      context.imageSmoothingEnabled = false;
      const x = this.#x(head.first);
      const y = this.#y(head.top);
      if (!this.#inLanes()) context.drawImage(image, x, y, this.#x(head.last) - x, this.#y(head.bottom) - y);
      if (this.#inLanes()) this.#lineBetweenNodes(context); // jobs cover it
      drawBands(context, head.bands ?? [], (time) => this.#x(time), (node) => this.#y(node));
      drawBoxes(context, this.lanes, (time) => this.#x(time), (node) => this.#y(node), LEFT, this.width);
    }
    if (!this.picture) {
      context.fillStyle = ink("faint");
      context.font = "13px system-ui, sans-serif";
      context.textAlign = "center";
      context.fillText("Loading ...", LEFT + this.width / 2, this.height / 2);
    }
    if (this.now !== null) this.#line(context, this.#x(this.now));
    if (this.box) {
      const { x, y, wide, tall } = this.box;
      context.strokeStyle = ink("ink");
      context.setLineDash([4, 3]);
      context.strokeRect(x + 0.5, y + 0.5, wide, tall);
    }
    context.restore();
    this.#axes(context);
    const { first, last, top, bottom } = this.view;
    this.where.textContent = `${moment(first, this.run.system.calendar)}, ${duration(last - first)} on; nodes ${count(top)} to ${count(bottom - 1)}`;
    Object.assign(this.canvas.dataset, { first, last, top, bottom });
  }

  // A line per node, faint and only where nodes are tall: else an idle machine would look striped.
  #lineBetweenNodes(context) {
    if (this.height / (this.view.bottom - this.view.top) < 12) return;
    context.fillStyle = ink("line");
    for (let node = this.view.top + 1; node < this.view.bottom; node += 1) context.fillRect(LEFT, Math.round(this.#y(node)), this.width, 1);
  }

  #line(context, x) {
    context.strokeStyle = ink("ink");
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, this.height);
    context.stroke();
    context.lineWidth = 1;
  }

  #axes(context) {
    context.fillStyle = ink("faint");
    context.strokeStyle = ink("line");
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "center";
    const { first, last, top, bottom } = this.view;
    for (const { time, label } of timeTicks(first, last, Math.max(2, this.width / 110), this.run.system.calendar)) {
      const x = this.#x(time);
      context.fillRect(x, this.height, 1, 4);
      if (x > LEFT + 30 && x < LEFT + this.width - 30) context.fillText(label, x, HEIGHT - 6);
    }
    context.textAlign = "right";
    const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6].find((size) => (bottom - top) / size <= 10);
    for (let node = Math.ceil(top / step) * step; node < bottom; node += step) {
      const y = (this.#y(node) + this.#y(Math.min(node + 1, bottom))) / 2;
      context.fillText(count(node), LEFT - 6, Math.min(Math.max(y + 4, 9), this.height - 2));
    }
    context.save();
    context.translate(10, this.height / 2);
    context.rotate(-Math.PI / 2);
    context.textAlign = "center";
    context.fillText("node", 0, 0);
    context.restore();
  }

  #at(event) {
    const x = Math.min(Math.max((event.offsetX - LEFT) / this.width, 0), 1);
    const y = Math.min(Math.max(event.offsetY / this.height, 0), 0.999999);
    const { first, last, top, bottom } = this.view;
    return { x, y, time: first + x * (last - first), exact: top + y * (bottom - top), node: Math.floor(top + y * (bottom - top)) };
  }

  // Whether jobs that share a node are drawn side by side: they are few, and all visible ones are known.
  #inLanes() {
    const { head } = this.picture;
    const { first, last, top, bottom } = this.view;
    return this.lanes.shared && first >= head.first && last <= head.last && top >= head.top && bottom <= head.bottom;
  }

  #jobAt({ time, node, exact }) {
    if (!this.picture) return null;
    if (this.#inLanes()) return this.lanes.boxes.find((box) => box.start <= time && time < box.end && box.top <= exact && exact < box.bottom)?.job ?? null;
    const { head, jobs, idle } = this.picture;
    const column = Math.floor(((time - head.first) / (head.last - head.first)) * head.width);
    const row = Math.floor(((node + 0.5 - head.top) / (head.bottom - head.top)) * head.height);
    if (column < 0 || column >= head.width || row < 0 || row >= head.height) return null;
    const job = jobs[row * head.width + column];
    return Number.isNaN(job) || job === idle ? null : job;
  }

  #listen() {
    const { canvas } = this;
    let from = null;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const { x, y } = this.#at(event);
      const turn = event.deltaY || event.deltaX; // Shift turns the wheel sideways in some browsers
      this.zoom(Math.exp(Math.max(-200, Math.min(200, turn)) * 0.002), x, event.shiftKey ? y : null);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button === 0) from = { ...this.#at(event), px: event.offsetX, py: event.offsetY };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (from && Math.hypot(event.offsetX - from.px, event.offsetY - from.py) > 5) {
        this.box = { x: Math.min(from.px, event.offsetX), y: Math.min(from.py, event.offsetY),
          wide: Math.abs(event.offsetX - from.px), tall: Math.abs(event.offsetY - from.py) };
        this.tip.hidden = true;
        this.draw();
      } else if (!from) this.#hover(event);
    });
    canvas.addEventListener("pointerup", (event) => {
      const to = this.#at(event);
      if (from && this.box) this.#zoomInto(from, to);
      else if (from) this.#click(to);
      from = null;
      this.box = null;
      this.draw();
    });
    canvas.addEventListener("pointercancel", () => { from = null; this.box = null; this.draw(); });
    canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    canvas.addEventListener("dblclick", () => this.show(this.whole));
    canvas.addEventListener("keydown", (event) => {
      const actions = { "+": () => this.zoom(0.5), "-": () => this.zoom(2), 0: () => this.show(this.whole),
        ArrowLeft: () => this.move(-0.2), ArrowRight: () => this.move(0.2), ArrowUp: () => this.move(0, -0.2), ArrowDown: () => this.move(0, 0.2) };
      if (!(event.key in actions)) return;
      event.preventDefault();
      actions[event.key]();
    });
  }

  #zoomInto(from, to) {
    const flat = this.box.tall < 8; // a drag along time alone keeps the nodes
    this.show({ first: Math.min(from.time, to.time), last: Math.max(from.time, to.time),
      top: flat ? this.view.top : Math.min(from.node, to.node), bottom: flat ? this.view.bottom : Math.max(from.node, to.node) + 1 });
  }

  #click(place) {
    const job = this.#jobAt(place);
    if (job === null) this.onTime(place.time);
    else this.onJob(job, place.time, place.node);
  }

  #hover(event) {
    const place = this.#at(event);
    const job = this.#jobAt(place);
    this.tip.hidden = event.offsetX < LEFT;
    replace(this.tip, `${job === null ? "idle, or jobs too short to see" : `job ${job}`}, node ${count(place.node)}, ${moment(place.time, this.run.system.calendar)}`);
    const box = this.place.getBoundingClientRect();
    this.tip.style.left = `${Math.min(event.clientX - box.left + 12, box.width - 280)}px`;
    this.tip.style.top = `${event.clientY - box.top + 16}px`;
  }
}
