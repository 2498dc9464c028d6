// The form that starts a simulation.

import { get, post } from "./api.js";
import { h, message, replace } from "./dom.js";
import { DAY, HOUR, WEEK } from "./format.js";

export async function showLaunch(place) {
  replace(place, message("Loading ..."));
  const choices = await get("/api/launch");
  const fields = {};
  const errors = {};
  const note = h("div");
  const select = (options) => h("select", {}, options.map((option) => h("option", { value: option.value ?? option }, option.label ?? option)));
  const withNone = (words, text) => select([{ value: "", label: text }, ...words]);

  function field(name, label, input, hint) {
    fields[name] = input;
    input.id = `field-${name}`;
    errors[name] = h("span", { class: "field-error", role: "alert", id: `error-${name}` });
    input.setAttribute("aria-describedby", errors[name].id);
    return h("div", { class: "field" }, h("label", { htmlFor: input.id }, label), input, hint ? h("span", { class: "hint" }, hint) : null, errors[name]);
  }

  const words = h("datalist", { id: "schedulers" }, choices.schedulers.map((value) => h("option", { value })));
  const when = select([{ value: "run", label: "at full speed" }, { value: "pause", label: "paused" }, { value: HOUR, label: "at 1 hour per second" },
    { value: DAY, label: "at 1 day per second" }, { value: WEEK, label: "at 1 week per second" }]);
  const button = h("button", { class: "primary" }, "Start");
  const form = h("form", { class: "card launch", onsubmit: start, noValidate: true },
    field("name", "Name", h("input", { type: "text", maxLength: 100, required: true, autocomplete: "off", placeholder: "easy-1" }), "of the new folder"),
    field("workload", "Workload", select(choices.workloads)),
    field("system", "System", select(choices.systems)),
    field("scheduler", "Scheduler", h("input", { type: "text", value: "easy", list: "schedulers", autocomplete: "off", maxLength: 500 }), "a name, with arguments: easy(order=shortest, depth=100); or score:EXPRESSION. Only built-in policies can be started here; your own run with schedlab run or in Python"), words,
    field("allocator", "Allocator", select(choices.allocators)),
    field("estimate", "Estimates", select(choices.estimate), "what the scheduler knows of run times"),
    field("memory", "Memory", select(choices.memory), "the field of the trace that counts"),
    field("fidelity", "Applications", select(choices.fidelity), "how their messages travel, on a system with a network"),
    field("rules", "Rules", withNone(choices.rules, "our own"), "read and simulate as another simulator does"),
    field("seed", "Seed", h("input", { type: "number", min: 0, step: 1, value: 0 })),
    h("div", { class: "field" }, h("span"), h("label", { class: "check" }, fields.enforce_limits = h("input", { type: "checkbox", id: "field-enforce_limits" }), " kill jobs at their requested time")),
    field("speed", "Begin", when, "can be changed while it runs"),
    h("div", { class: "field" }, h("span"), button), note);
  replace(place, h("h1", {}, "New simulation"), form);
  if (!choices.workloads.length || !choices.systems.length) {
    const missing = [choices.workloads.length ? null : "workloads (.swf, .swf.gz ...)", choices.systems.length ? null : "systems (.toml, .json, .yaml)"].filter(Boolean).join(" and ");
    replace(note, message(`There are no ${missing} below this folder. Put some there, or start the dashboard with --workloads DIR.`, "warning"));
    button.disabled = true;
  }
  fields.name.focus();

  async function start(event) {
    event.preventDefault();
    for (const error of Object.values(errors)) error.textContent = "";
    for (const input of Object.values(fields)) input.removeAttribute("aria-invalid");
    const { name, workload, system, scheduler, allocator, estimate, memory, fidelity, rules, seed } = fields;
    const speed = Number(when.value);
    const request = { name: name.value, workload: workload.value, system: system.value, scheduler: scheduler.value, allocator: allocator.value, estimate: estimate.value,
      memory: memory.value, fidelity: fidelity.value, rules: rules.value, seed: seed.value === "" ? null : Number(seed.value), enforce_limits: fields.enforce_limits.checked,
      pause: when.value === "pause", speed: speed > 0 ? speed : null };
    button.disabled = true;
    replace(note, message("Starting ..."));
    try {
      const answer = await post("/api/launch", request);
      location.hash = `#/run/${encodeURIComponent(answer.name)}`;
    } catch (error) {
      const place = errors[error.field];
      replace(note, place ? null : message(error.message, "error"));
      if (place) {
        place.textContent = error.message;
        fields[error.field].setAttribute("aria-invalid", "true");
        fields[error.field].focus();
      }
    }
    button.disabled = false;
  }
}
