// One moment of a run: counts, use, queue and running jobs, beside the node map.

import { colour } from "./colours.js";
import { h, replace } from "./dom.js";
import { count, duration, ENDED, percent } from "./format.js";
import { NodeMap } from "./nodemap.js";

export class MomentView {
  constructor(place, run, onJob) {
    this.run = run;
    this.onJob = onJob;
    this.counts = h("div", { class: "counts" });
    this.use = h("div", { class: "use" });
    this.machine = h("div", { class: "counts machine" });
    this.queue = h("div", { class: "table" });
    this.running = h("div", { class: "table" });
    const map = h("div", { class: "maps" });
    replace(place, h("section", { class: "card" }, h("h2", {}, "Nodes"), map),
      h("section", { class: "card side" }, this.counts, this.use, this.machine, h("div", { class: "two" }, this.queue, this.running)));
    this.map = new NodeMap(map, run.system, onJob);
  }

  close() {
    this.map.close();
  }

  set(moment) {
    this.moment = moment;
    this.map.set(moment.map, moment.used);
    const { counts } = moment;
    const shown = ["queued", "running", ...ENDED, "held"];
    const always = ["queued", "running", "completed"];
    replace(this.counts, shown.filter((state) => always.includes(state) || counts[state]).map((state) => h("div", { class: `figure ${state}`, "data-count": state },
      h("strong", {}, count(counts[state])), h("span", {}, state))),
    h("div", { class: "figure", "data-count": "submitted" }, h("strong", {}, count(counts.submitted)), h("span", {}, "submitted")));
    replace(this.use, Object.entries(this.run.system.capacity).map(([kind, all]) => {
      const share = all ? moment.used[kind] / all : 0;
      return h("div", { class: "gauge" }, h("span", {}, kind), h("progress", { max: 1, value: share, "aria-label": `${kind} in use` }),
        h("span", { class: "number" }, `${count(moment.used[kind])} of ${count(all)}, ${percent(share)}`));
    }));
    replace(this.machine, (moment.machine ?? []).map(([label, text]) => h("div", { class: "figure", "data-machine": label },
      h("strong", {}, text), h("span", {}, label))));
    replace(this.queue, this.#table("Queue", moment.queue, "waited"));
    replace(this.running, this.#table("Running", moment.running, "since"));
  }

  #table(title, { total, rows }, label) {
    const { time } = this.moment;
    const head = ["job", "user", "tasks", label, "estimate"];
    const body = rows.map(([job, user, tasks, since, estimate]) => h("tr", {},
      h("td", {}, h("button", { class: "link", onclick: () => this.onJob(job, []) },
        label === "since" ? h("i", { class: "swatch", style: `background:${colour(job)}` }) : null, String(job))),
      h("td", { class: "number" }, user < 0 ? "-" : String(user)), h("td", { class: "number" }, count(tasks)),
      h("td", { class: "number" }, duration(Math.max(0, time - since))), h("td", { class: "number" }, duration(estimate))));
    return [h("h3", {}, `${title}: ${count(total)}`, total > rows.length ? h("span", { class: "faint" }, `, first ${rows.length} shown`) : null),
      rows.length ? h("div", { class: "scroll short", tabIndex: 0 }, h("table", {},
        h("thead", {}, h("tr", {}, head.map((name, i) => h("th", { class: i ? "number" : null, scope: "col" }, name)))), h("tbody", {}, body)))
        : h("p", { class: "faint" }, "none")];
  }
}
