/**
 * A path map as the setting has it, `/stash=>/plex; /more=>/others`, and as the rules that a person types. While somebody types, a folder
 * may hold the marks of the text: then the rules are kept as a list, and the field says that they cannot be saved so.
 */
export interface Rule {
  from: string;
  to: string;
}

const MARKS = /;|=>/;

/** The rules of a text or of a kept list. Spaces stay: somebody may be in the middle of typing a name that has some. */
export function readRules(text: string): Rule[] {
  return text.startsWith("[") ? readList(text) : splitText(text);
}

function splitText(text: string): Rule[] {
  return text
    .split(";")
    .filter((part) => part.trim() !== "")
    .map((part) => {
      const [from = "", ...rest] = part.replace(/^ /, "").split("=>");
      return { from, to: rest.join("=>") };
    });
}

function readList(text: string): Rule[] {
  try {
    return (JSON.parse(text) as Partial<Rule>[]).map(({ from = "", to = "" }) => ({ from, to }));
  } catch {
    return splitText(text); // a folder may begin with a bracket
  }
}

/** The setting's text where that says the same, else a list. */
export function keepRules(rules: readonly Rule[]): string {
  const list = JSON.stringify(rules);
  const text = writeRules(rules);
  return JSON.stringify(readRules(text)) === list ? text : list;
}

export function trimRules(text: string): string {
  return writeRules(readRules(text).map(({ from, to }) => ({ from: from.trim(), to: to.trim() })));
}

export function hasMarks({ from, to }: Rule): boolean {
  return MARKS.test(from) || MARKS.test(to);
}

function writeRules(rules: readonly Rule[]): string {
  return rules.map(({ from, to }) => `${from}=>${to}`).join("; ");
}
