// Elements from a few words.

// Returns an element; properties that begin with "on" are listeners, "class" and "data-x" as in HTML.
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && !name.includes("-") && name !== "list" && name !== "form") element[name] = value;
    else if (name === "class") element.className = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function replace(element, ...children) {
  element.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
}

export function message(text, kind = "note") {
  return h("p", { class: `message ${kind}`, role: kind === "error" ? "alert" : "status" }, text);
}

// Returns a function that calls another one when it has not been called for some milliseconds.
export function debounced(milliseconds, action) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...given), milliseconds);
  };
}

// Returns a function that runs an asynchronous action, one at a time; of those asked for meanwhile only the last.
export function latest(action) {
  let busy = false;
  let next = null;
  const run = async (...given) => {
    if (busy) {
      next = given;
      return;
    }
    busy = true;
    try {
      await action(...given);
    } finally {
      busy = false;
      if (next) {
        const again = next;
        next = null;
        run(...again);
      }
    }
  };
  return run;
}
