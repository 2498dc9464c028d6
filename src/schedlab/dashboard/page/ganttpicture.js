// What the server sends of a Gantt chart, as a picture.

import { colour, inkOn, pixel } from "./colours.js";

const IDLE = -2147483648;

// Returns head, job and share of each pixel.
export function readPicture(content) {
  const length = new DataView(content).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(content, 8, length)));
  const pixels = head.width * head.height;
  const Kind = head.kind === "int32" ? Int32Array : Float64Array;
  const jobs = new Kind(content, 8 + length, pixels);
  const share = new Uint8Array(content, 8 + length + jobs.byteLength, pixels);
  return { head, jobs, share, idle: IDLE };
}

// Returns the same with an image: colours of jobs; grey where there are only jobs too short to see.
export function paint(picture, isDark) {
  const { head, jobs, share } = picture;
  const image = document.createElement("canvas");
  image.width = head.width;
  image.height = head.height;
  const context = image.getContext("2d");
  const data = context.createImageData(head.width, head.height);
  const pixels = new Uint32Array(data.data.buffer);
  const greys = Uint32Array.from({ length: 256 }, (_, value) => {
    const full = isDark ? 150 : 120;
    const idle = isDark ? 42 : 247;
    const level = Math.round(idle + ((full - idle) * value) / 255);
    return ((255 << 24) | (level << 16) | (level << 8) | level) >>> 0;
  });
  let last = null;
  let shade = 0;
  for (let i = 0; i < pixels.length; i += 1) {
    const job = jobs[i];
    if (job === IDLE || job !== job) pixels[i] = greys[share[i]];
    else {
      if (job !== last) {
        last = job;
        shade = pixel(job);
      }
      pixels[i] = shade;
    }
  }
  context.putImageData(data, 0, 0);
  return { ...picture, image };
}

// Returns the boxes of jobs; where jobs share a node, one per node, in as many lanes as there are jobs at once.
export function lanesOf(boxes) {
  const byNode = new Map();
  for (const [job, start, end, top, bottom] of boxes) {
    for (let node = top; node < bottom; node += 1) {
      if (!byNode.has(node)) byNode.set(node, { ends: [], boxes: [] });
      const { ends, boxes: here } = byNode.get(node);
      const free = ends.findIndex((time) => time <= start);
      const lane = free < 0 ? ends.length : free;
      ends[lane] = end;
      here.push({ job, start, end, node, lane });
    }
  }
  const nodes = [...byNode.values()];
  if (nodes.every(({ ends }) => ends.length <= 1)) {
    return { shared: false, boxes: boxes.map(([job, start, end, top, bottom]) => ({ job, start, end, top, bottom })) };
  }
  return { shared: true, boxes: nodes.flatMap(({ ends, boxes: here }) => here.map(({ job, start, end, node, lane }) => (
    { job, start, end, top: node + lane / ends.length, bottom: node + (lane + 1) / ends.length }))) };
}

// Draws edges and numbers of jobs, where they are few enough to have room.
export function drawBoxes(context, { shared, boxes }, x, y, left, width) {
  context.textAlign = "left";
  context.textBaseline = "middle";
  for (const { job, start, end, top, bottom } of boxes) {
    const from = Math.max(x(start), left);
    const wide = Math.min(x(end), left + width) - from;
    const tall = y(bottom) - y(top);
    if (shared) {
      context.fillStyle = colour(job);
      context.fillRect(from, y(top), Math.max(wide, 1), tall);
    }
    if (wide < 3 || tall < 3) continue;
    context.strokeStyle = "rgba(0,0,0,0.35)";
    if (shared && tall < 8) { // a frame around each of many nodes would hide what is in it
      context.fillStyle = context.strokeStyle;
      context.fillRect(from, y(top), 1, tall);
      continue;
    }
    context.strokeRect(from + 0.5, y(top) + 0.5, wide - 1, tall - 1);
    const text = String(job);
    context.font = `${Math.min(12, Math.max(9, Math.floor(tall) - 1))}px system-ui, sans-serif`;
    if (tall >= 9 && context.measureText(text).width + 6 <= wide) {
      context.fillStyle = inkOn(job);
      context.fillText(text, from + 3, Math.max(y(top), 0) + Math.min(tall, 60) / 2);
    }
  }
  context.textBaseline = "alphabetic";
}

// Colours of nodes that are not simply on, as the plots have them.
const BANDS = { off: "120,120,128", sleeping: "86,140,190", booting: "214,150,0", stopping: "140,95,60", down: "190,30,45" };

// Returns a pattern that can be distinguished without its colour, too.
function hatch(context, state) {
  const tile = document.createElement("canvas");
  tile.width = 8;
  tile.height = 8;
  const ink = tile.getContext("2d");
  ink.fillStyle = `rgba(${BANDS[state]},0.25)`;
  ink.fillRect(0, 0, 8, 8);
  ink.strokeStyle = `rgb(${BANDS[state]})`;
  ink.lineWidth = 1.4;
  ink.beginPath();
  for (const shift of [-8, 0, 8]) {
    if (state === "off" || state === "down") { ink.moveTo(shift, 8); ink.lineTo(shift + 8, 0); }
    if (state === "sleeping" || state === "down") { ink.moveTo(shift, 0); ink.lineTo(shift + 8, 8); }
  }
  if (state === "booting") { ink.moveTo(4, 0); ink.lineTo(4, 8); }
  if (state === "stopping") { ink.moveTo(0, 4); ink.lineTo(8, 4); }
  ink.stroke();
  return context.createPattern(tile, "repeat");
}

// Draws nodes that were off or down; no job runs there.
export function drawBands(context, bands, x, y) {
  const fills = new Map();
  for (const [node, state, start, end] of bands) {
    if (!BANDS[state]) continue;
    if (!fills.has(state)) fills.set(state, hatch(context, state));
    context.fillStyle = fills.get(state);
    context.fillRect(x(start), y(node), Math.max(x(end) - x(start), 1), Math.max(y(node + 1) - y(node), 1));
  }
}

// Returns the states that occur, each with its colour, for a legend.
export function statesOf(bands) {
  return Object.keys(BANDS).filter((state) => bands.some((band) => band[1] === state)).map((state) => [state, `rgb(${BANDS[state]})`]);
}
