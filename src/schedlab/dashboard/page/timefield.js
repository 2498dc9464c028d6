// A field for a date or a time, with a button, and what is wrong with it beside it.

import { get } from "./api.js";
import { h } from "./dom.js";
import { moment, WEEK } from "./format.js";

// Returns the field; act(time) may return a remark, which is shown beside it.
export function timeField(run, { id, label, title, act }) {
  const start = run.system.calendar;
  const input = h("input", { type: "text", id, size: 16, maxLength: 100, "aria-label": title, "aria-describedby": `${id}-note`, autocomplete: "off",
    placeholder: start ? moment(run.first + WEEK, start).slice(0, 16) : "3d or 12h30m", title: `${title}: ${start ? `a date (${start.zone}), or ` : ""}time since the beginning such as 3d or 12h30m`,
    onkeydown: (event) => { if (event.key === "Enter") go(); } });
  const note = h("span", { class: "beside", id: `${id}-note`, role: "status" });

  async function go() {
    let remark = "";
    try {
      if (!input.value.trim()) throw new Error(`write a date or a time first, such as ${input.placeholder}`);
      const { time } = await get("/api/run/time", { path: run.name, text: input.value });
      remark = (await act(time)) ?? "";
      input.removeAttribute("aria-invalid");
    } catch (error) {
      remark = error.message;
      input.setAttribute("aria-invalid", "true");
    }
    note.textContent = remark;
  }

  return h("span", { class: "group time-field" }, input, h("button", { id: `go-${id}`, title, onclick: go }, label), note);
}
