/** What the page learned last, kept in the browser: pages of Stash show it without asking anyone. */
export interface Learned {
  needs: number;
  sentence: string;
  at: string;
}

const KEY = "stash2plex.learned";
const EVENT = "stash2plex:learned";

export function recall(): Learned | null {
  try {
    const raw: unknown = JSON.parse(window.localStorage.getItem(KEY) ?? "null");
    return isLearned(raw) ? raw : null;
  } catch {
    return null; // a browser that keeps nothing, or somebody else's text
  }
}

export function remember(learned: Learned): void {
  try {
    window.localStorage.setItem(KEY, JSON.stringify(learned));
  } catch {
    return; // private windows may refuse; the badge is an extra
  }
  window.dispatchEvent(new Event(EVENT));
}

/** Calls back whenever this tab or another one learns something; returns how to stop. */
export function onLearned(callback: () => void): () => void {
  window.addEventListener(EVENT, callback);
  window.addEventListener("storage", callback);
  return () => {
    window.removeEventListener(EVENT, callback);
    window.removeEventListener("storage", callback);
  };
}

function isLearned(raw: unknown): raw is Learned {
  const found = raw as Partial<Learned> | null;
  return typeof found?.needs === "number" && typeof found.sentence === "string" && typeof found.at === "string";
}
