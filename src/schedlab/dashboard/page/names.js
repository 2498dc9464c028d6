// Names of runs, short, but never two of them alike.

// Returns a map from names to texts of at most about N letters; different names have different texts.
export function tellApart(names, longest) {
  const found = new Map();
  const groups = new Map();
  for (const name of new Set(names)) {
    const text = withoutMiddle(name, longest);
    groups.set(text, [...(groups.get(text) ?? []), name]);
  }
  const taken = new Set([...groups].filter(([, some]) => some.length === 1).map(([text]) => text));
  for (const [text, some] of groups) {
    if (some.length === 1) found.set(some[0], text);
    else some.forEach((name) => found.set(name, unused(aroundDifference(name, some, longest), taken)));
  }
  return found;
}

function withoutMiddle(name, longest) {
  return name.length > longest ? `${name.slice(0, Math.ceil(longest / 2) - 1)}…${name.slice(1 - Math.floor(longest / 2))}` : name;
}

// Returns the beginning of a name, and what follows where it differs from the others.
function aroundDifference(name, others, longest) {
  let same = 0;
  while (others.every((other) => other.length > same && other[same] === name[same])) same += 1;
  const head = name.slice(0, Math.floor(longest / 3));
  const rest = name.slice(Math.max(same - 3, head.length));
  return `${head}…${withoutMiddle(rest, longest - head.length)}`;
}

function unused(text, taken) {
  let free = text;
  for (let number = 2; taken.has(free); number += 1) free = `${text} (${number})`;
  taken.add(free);
  return free;
}
