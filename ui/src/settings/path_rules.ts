/** A path map as text and as rules: `/stash=>/plex; /more=>/others`. */
export interface Rule {
  from: string;
  to: string;
}

/** Spaces stay: somebody may be in the middle of typing a name that has some. */
export function readRules(text: string): Rule[] {
  return text
    .split(";")
    .filter((part) => part.trim() !== "")
    .map((part) => {
      const [from = "", ...rest] = part.replace(/^ /, "").split("=>");
      return { from, to: rest.join("=>") };
    });
}

export function trimRules(text: string): string {
  return writeRules(readRules(text).map(({ from, to }) => ({ from: from.trim(), to: to.trim() })));
}

export function writeRules(rules: readonly Rule[]): string {
  return rules.map(({ from, to }) => `${from}=>${to}`).join("; ");
}
