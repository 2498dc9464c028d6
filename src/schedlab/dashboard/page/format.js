// Numbers, durations and times as people read them; units of time, and the states of jobs.

export const MINUTE = 60;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const WEEK = 7 * DAY;

// How jobs end, as in schedlab.job_states.
export const ENDED = ["completed", "killed", "failed", "rejected"];

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export function count(value) {
  return value === null || value === undefined ? "-" : whole.format(value);
}

export function many(number, noun) {
  return `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
}

export function decimal(value, digits = 2) {
  if (value === null || value === undefined) return "-";
  return new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
}

export function percent(share, digits = 1) {
  return share === null || share === undefined ? "-" : `${decimal(100 * share, digits)} %`;
}

const UNITS = [["d", DAY], ["h", HOUR], ["min", MINUTE], ["s", 1]];

// Returns seconds in their two largest units, in the words of schedlab.durations.duration_text: 2 d 6 h, 51 min 18 s, 0.2 s.
// Differences of durations have a sign.
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "-";
  if (seconds < 0) return `-${duration(-seconds)}`;
  // Halves go to the even digit, as in Python; toFixed takes them up.
  if (seconds < 9.95 && seconds % 1) return `${(seconds % 1 === 0.25 ? seconds - 0.05 : seconds).toFixed(1)} s`;
  const step = seconds >= DAY ? HOUR : seconds >= HOUR ? MINUTE : 1;
  const rounded = evenly(seconds / step) * step;
  const first = UNITS.findIndex(([, size]) => rounded >= size);
  if (first < 0) return "0 s";
  const [unit, size] = UNITS[first];
  const large = `${count(Math.floor(rounded / size))} ${unit}`;
  const next = UNITS[first + 1];
  const rest = next ? Math.floor((rounded % size) / next[1]) : 0;
  return rest ? `${large} ${rest} ${next[0]}` : large;
}

// Returns the nearest whole number, of two the even one.
function evenly(value) {
  const rounded = Math.round(value);
  return value % 1 === 0.5 && rounded % 2 ? rounded - 1 : rounded;
}

const two = (number) => String(number).padStart(2, "0");

// Returns how far the clocks of a calendar's zone are ahead of UTC at a Unix time.
function offsetAt(seconds, { offsets }) {
  let [, found] = offsets[0];
  for (const [from, offset] of offsets) if (seconds >= from) found = offset;
  return found;
}

// Returns what the clocks of the zone show, as seconds since 1970.
const local = (time, calendar) => calendar.start + time + offsetAt(calendar.start + time, calendar);

function fromLocal(seconds, calendar) {
  const offset = offsetAt(seconds - offsetAt(seconds, calendar), calendar);
  return seconds - offset - calendar.start;
}

// Returns a time of a workload: a date of its calendar's zone where that is known, else days and clock.
export function moment(time, calendar) {
  if (time === null || time === undefined) return "-";
  if (calendar) return date(local(time, calendar));
  const sign = time < 0 ? "-" : "";
  const seconds = Math.floor(Math.abs(time));
  const clock = [seconds / HOUR, seconds / MINUTE, seconds].map((value, i) => two(Math.floor(value) % (i ? 60 : 24)));
  return `${sign}day ${count(Math.floor(seconds / DAY))}, ${clock.join(":")}`;
}

export function date(seconds) {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ");
}

// Returns the unit of an axis of N seconds.
export function unitOf(seconds) {
  if (seconds < 2 * HOUR) return { name: "minutes", seconds: MINUTE };
  return seconds < 3 * DAY ? { name: "hours", seconds: HOUR } : { name: "days", seconds: DAY };
}

// Returns a value of an axis of plotly for a time: a date, or a number of units.
export function onAxis(time, calendar, unit) {
  return calendar ? new Date(local(time, calendar) * 1000).toISOString().slice(0, 23) : time / unit.seconds;
}

export function fromAxis(value, calendar, unit) {
  return calendar ? fromLocal(Date.parse(`${String(value).replace(" ", "T")}${/Z$/.test(value) ? "" : "Z"}`) / 1000, calendar) : Number(value) * unit.seconds;
}

const STEPS = [1, 2, 5, 10, 15, 30, ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE), ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 5, 10, 20, 30, 60, 90, 180, 365, 730, 1825].map((days) => days * DAY)];

// Returns at most N ticks of a time axis, each with a short label.
export function timeTicks(first, last, most, calendar) {
  const step = STEPS.find((size) => (last - first) / size <= most) || STEPS.at(-1);
  const [begin, end] = calendar ? [local(first, calendar), local(last, calendar)] : [first, last];
  const ticks = [];
  for (let at = Math.ceil(begin / step) * step; at <= end; at += step) {
    ticks.push({ time: calendar ? fromLocal(at, calendar) : at, label: tickLabel(at, step, calendar) });
  }
  return ticks;
}

function tickLabel(at, step, calendar) {
  if (calendar) {
    const text = date(at);
    if (step >= DAY) return text.slice(0, 10);
    return step >= MINUTE ? text.slice(5, 16) : text.slice(11);
  }
  if (step >= DAY) return `day ${count(at / DAY)}`;
  const text = moment(at, null);
  return step >= MINUTE ? text.slice(0, -3) : text;
}
