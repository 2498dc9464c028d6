// The machine: a cell per node, split among its jobs; a panel per type of resource.

import { colour, ink } from "./colours.js";
import { h, replace } from "./dom.js";
import { count, percent } from "./format.js";

const LARGEST = 48; // pixels of a cell
const TALLEST = 330; // pixels of all panels together, about
const LABEL = 15;

// Returns { node: tasks } pairs of a text such as "16-35*2 40", in order.
export function* places(text) {
  for (const item of text.split(" ")) {
    const [span, tasks] = item.split("*");
    const [first, last] = span.split("-");
    for (let node = Number(first); node <= Number(last ?? first); node += 1) yield [node, Number(tasks ?? 1)];
  }
}

export class NodeMap {
  // onJob(job, others) is called when a job is clicked.
  constructor(place, system, onJob) {
    this.system = system;
    this.onJob = onJob;
    this.types = Object.keys(system.capacity);
    this.groups = [];
    let first = 0;
    for (const [name, group] of Object.entries(system.groups)) {
      this.groups.push({ name, first, nodes: group.nodes, resources: group.resources });
      first += group.nodes;
    }
    this.nodes = first;
    this.holders = new Map();
    this.size = 1;
    this.tip = h("div", { class: "tip", hidden: true });
    this.panels = this.types.map((kind) => {
      const canvas = h("canvas", { class: "map", role: "img" });
      canvas.addEventListener("mousemove", (event) => this.#hover(event, kind));
      canvas.addEventListener("mouseleave", () => { this.tip.hidden = true; });
      canvas.addEventListener("click", (event) => this.#click(event, kind));
      return { kind, canvas, title: h("h3") };
    });
    replace(place, this.panels.map(({ title, canvas }) => h("figure", {}, title, canvas)), this.tip);
    this.place = place;
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(place);
  }

  close() {
    this.observer.disconnect();
  }

  set(map, used) {
    this.used = used;
    this.holders = new Map();
    this.size = map.nodes_per_cell ?? 1;
    if (map.cells) {
      for (const [cell, job, ...amounts] of map.cells) this.holders.set(cell, [{ job, amounts }]);
    } else {
      for (const [job, text, each] of map.jobs) {
        for (const [node, tasks] of places(text)) {
          const amounts = each ? each.map((amount) => amount * tasks) : null;
          if (!this.holders.has(node)) this.holders.set(node, []);
          this.holders.get(node).push({ job, amounts });
        }
      }
    }
    this.draw();
  }

  #shown(kind) {
    return this.groups.filter((group) => group.resources[kind] > 0);
  }

  // Returns the largest size of a cell with which a panel is not too tall.
  #cell(kind, width) {
    const shown = this.#shown(kind);
    const labelled = this.groups.length > 1 ? LABEL : 0;
    const tallest = TALLEST / Math.min(this.types.length, 2);
    const height = (cell) => shown.reduce((sum, group) => sum + labelled + cell * Math.ceil(this.#cells(group) / Math.max(1, Math.floor(width / cell))), 0);
    let cell = LARGEST;
    while (cell > 2 && height(cell) > tallest) cell -= 1;
    return cell;
  }

  // Returns where each group's cells are: rows of cells below its label.
  #layout(kind, width, cell) {
    const labelled = this.groups.length > 1 ? LABEL : 0;
    const columns = Math.max(1, Math.floor(width / cell));
    let top = 0;
    const parts = this.#shown(kind).map((group) => {
      const part = { group, top: top + labelled, begin: Math.floor(group.first / this.size), cells: this.#cells(group) };
      top += labelled + cell * Math.ceil(part.cells / columns);
      return part;
    });
    return { cell, columns, parts, height: Math.max(top, 20), labelled };
  }

  #cells(group) {
    return Math.floor((group.first + group.nodes - 1) / this.size) - Math.floor(group.first / this.size) + 1;
  }

  draw() {
    const width = Math.floor(this.place.clientWidth);
    if (!width) return;
    const cell = Math.min(...this.types.map((kind) => this.#cell(kind, width))); // a node has one size in all panels
    for (const panel of this.panels) this.#drawPanel(panel, width, cell);
  }

  #drawPanel(panel, width, cell) {
    const { kind, canvas, title } = panel;
    const layout = this.#layout(kind, width, cell);
    panel.layout = layout;
    const ratio = devicePixelRatio || 1;
    canvas.width = width * ratio;
    canvas.height = layout.height * ratio;
    canvas.style.height = `${layout.height}px`;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    const held = this.used?.[kind] ?? 0;
    const all = this.system.capacity[kind];
    const many = this.size > 1 ? `, a cell is ${this.size} nodes` : "";
    title.textContent = `${kind}: ${count(held)} of ${count(all)} in use, ${percent(held / all)}${many}`;
    canvas.setAttribute("aria-label", `Node map. ${title.textContent}`);
    const gap = layout.cell >= 24 ? 3 : layout.cell >= 6 ? 1 : 0;
    const idle = ink("idle");
    context.font = "11px system-ui, sans-serif";
    for (const part of layout.parts) {
      if (layout.labelled) {
        context.fillStyle = ink("faint");
        context.fillText(`${part.group.name} (${count(part.group.nodes)} × ${count(part.group.resources[kind])} ${kind})`, 0, part.top - 4);
      }
      for (let i = 0; i < part.cells; i += 1) {
        const x = (i % layout.columns) * layout.cell;
        const y = part.top + Math.floor(i / layout.columns) * layout.cell;
        const side = layout.cell - gap;
        context.fillStyle = idle;
        context.fillRect(x, y, side, side);
        let from = x;
        for (const { job, share } of this.#shares(part.begin + i, part.group, kind)) {
          const wide = share * side;
          context.fillStyle = colour(job);
          context.fillRect(from, y, Math.max(wide, 0.5), side);
          from += wide;
        }
      }
    }
  }

  // Returns the jobs in a cell and what part of it each holds.
  #shares(cell, group, kind) {
    const at = this.types.indexOf(kind);
    const capacity = (group.resources[kind] || 0) * this.size;
    return (this.holders.get(cell) || [])
      .map(({ job, amounts }) => ({ job, amount: amounts ? amounts[at] : capacity, share: Math.min(1, amounts ? amounts[at] / capacity : 1) }))
      .filter(({ amount }) => amount > 0);
  }

  // Returns what is below the pointer.
  #find(event, kind) {
    const { layout } = this.panels.find((panel) => panel.kind === kind);
    const x = event.offsetX;
    const y = event.offsetY;
    for (const part of layout.parts) {
      const row = Math.floor((y - part.top) / layout.cell);
      const column = Math.floor(x / layout.cell);
      const i = row * layout.columns + column;
      if (y < part.top || column >= layout.columns || i >= part.cells || row < 0) continue;
      const jobs = this.#shares(part.begin + i, part.group, kind);
      const inside = x / layout.cell - column;
      let sum = 0;
      const job = jobs.find(({ share }) => { sum += share; return inside <= sum; });
      return { cell: part.begin + i, group: part.group, jobs, job };
    }
    return null;
  }

  #hover(event, kind) {
    const found = this.#find(event, kind);
    this.tip.hidden = !found;
    if (!found) return;
    const { cell, group, jobs, job } = found;
    const last = Math.min(this.nodes, (cell + 1) * this.size) - 1;
    const name = this.size > 1 ? `nodes ${cell * this.size} to ${last}` : `node ${cell}`;
    const lines = jobs.slice(0, 8).map((one) => h("div", { class: one === job ? "strong" : null },
      h("i", { class: "swatch", style: `background:${colour(one.job)}` }),
      this.size > 1 ? `mostly job ${one.job}; ${count(one.amount)} ${kind} in use` : `job ${one.job}: ${count(one.amount)} ${kind}`));
    if (jobs.length > 8) lines.push(h("div", {}, `and ${jobs.length - 8} more`));
    replace(this.tip, h("div", {}, `${name}, ${group.name}, ${count((group.resources[kind] || 0) * this.size)} ${kind}`), lines.length ? lines : h("div", { class: "faint" }, "idle"));
    const box = this.place.getBoundingClientRect();
    this.tip.style.left = `${Math.min(event.clientX - box.left + 12, box.width - 190)}px`;
    this.tip.style.top = `${event.clientY - box.top + 14}px`;
  }

  #click(event, kind) {
    const found = this.#find(event, kind);
    const job = found?.job ?? found?.jobs[0];
    if (job) this.onJob(job.job, found.jobs.map((one) => one.job));
  }
}
