// The runs that were chosen for comparing; they stay chosen while the tab is open.

const KEY = "schedlab-chosen";

export function chosen() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) || "[]");
    return Array.isArray(kept) ? kept.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}

export function choose(names) {
  sessionStorage.setItem(KEY, JSON.stringify([...new Set(names)]));
}
