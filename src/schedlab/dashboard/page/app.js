// The frame: which view is shown.

import { get } from "./api.js";
import { setColours } from "./colours.js";
import { h, message, replace } from "./dom.js";
import { closePanel } from "./jobpanel.js";
import { showList } from "./list.js";
import { showRun } from "./run.js";
import { showCompare } from "./compare.js";
import { showLaunch } from "./launch.js";

const view = document.getElementById("view");
let leave = () => {};
let turn = 0;

// Each view is a function of its place, the rest of the address; it returns what is to be done when it is left.
const VIEWS = { list: showList, run: showRun, compare: showCompare, new: showLaunch };

async function route() {
  const [name, ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  const key = name in VIEWS ? name : "list";
  leave();
  leave = () => {};
  closePanel();
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.view === key) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  turn += 1;
  const mine = turn;
  const place = document.createElement("div");
  place.className = `view-${key}`;
  replace(view, place);
  scrollTo(0, 0);
  try {
    const left = await VIEWS[key](place, decodeURIComponent(rest.join("/")), () => mine === turn);
    if (mine === turn) leave = left || (() => {});
    else if (left) left();
  } catch (error) {
    if (mine === turn) replace(place, message(error.message, "error"), h("button", { onclick: route }, "Try again"));
    if (error.status === undefined) console.error(error); // our own mistake, not an answer
  }
}

async function begin() {
  try {
    const about = await get("/api/about");
    document.getElementById("folder").textContent = about.folder;
    document.title = `schedlab: ${about.folder}`;
    setColours(about);
  } catch (error) {
    replace(view, message(error.message, "error"));
    return;
  }
  addEventListener("hashchange", route);
  addEventListener("schedlab-reopen", route);
  await route();
}

begin();
