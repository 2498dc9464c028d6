// One colour per job, the same as in the plots of schedlab: analysis.raster.job_colours in JavaScript.

let palette = [];
let packed = new Uint32Array(0);
let about = null;

export function setColours(settings) {
  about = settings;
  palette = settings.job_colours;
  packed = Uint32Array.from(palette, ([red, green, blue]) => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0);
}

function index(job) {
  const low = ((job % 4294967296) + 4294967296) % 4294967296;
  const scattered = Math.imul(low | 0, 2654435761 | 0) >>> 0;
  return Math.floor((scattered * palette.length) / 4294967296);
}

export function colour(job) {
  const [red, green, blue] = palette[index(job)];
  return `rgb(${red},${green},${blue})`;
}

// Returns the colour as a pixel of an ImageData, alpha first.
export function pixel(job) {
  return packed[index(job)];
}

export function lineColours() {
  return dark() ? about.palette.map((one) => (one === "#000000" ? "#DDDDDD" : one)) : about.palette;
}

export function dark() {
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

// Returns a colour of the style sheet.
export function ink(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

// Returns black or white, whichever is read better on the colour of a job.
export function inkOn(job) {
  const [red, green, blue] = palette[index(job)];
  return red * 0.299 + green * 0.587 + blue * 0.114 > 140 ? "#111" : "#fff";
}
