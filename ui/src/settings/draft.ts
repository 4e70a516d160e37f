/** What a person typed and did not save yet: it outlives errors, other parts, and a login that expires. Secrets only in memory. */
import { useCallback, useState } from "react";

export type Typed = boolean | string;

export interface Draft {
  values: Readonly<Record<string, Typed>>;
  /** A text is a new secret, null takes the old one away. */
  secrets: Readonly<Record<string, string | null>>;
}

export interface DraftActions {
  setValue: (key: string, value: Typed | undefined) => void;
  setSecret: (key: string, value: string | null | undefined) => void;
  drop: (keys: readonly string[]) => void;
}

const KEY = "stash2plex.draft";
let secretsInMemory: Draft["secrets"] = {};

function readValues(): Draft["values"] {
  try {
    const raw: unknown = JSON.parse(window.sessionStorage.getItem(KEY) ?? "{}");
    return raw && typeof raw === "object" ? (raw as Draft["values"]) : {};
  } catch {
    return {};
  }
}

function keep(draft: Draft): void {
  secretsInMemory = draft.secrets;
  try {
    if (Object.keys(draft.values).length === 0) window.sessionStorage.removeItem(KEY);
    else window.sessionStorage.setItem(KEY, JSON.stringify(draft.values));
  } catch {
    return; // a browser that keeps nothing: the form still has it
  }
}

export function useDraft(): Draft & DraftActions {
  const [draft, setDraft] = useState<Draft>(() => ({ values: readValues(), secrets: secretsInMemory }));
  const change = useCallback((next: (before: Draft) => Draft) => {
    setDraft((before) => {
      const after = next(before);
      keep(after);
      return after;
    });
  }, []);
  const setValue = useCallback<DraftActions["setValue"]>(
    (key, value) => change((before) => ({ ...before, values: put(before.values, key, value) })),
    [change],
  );
  const setSecret = useCallback<DraftActions["setSecret"]>(
    (key, value) => change((before) => ({ ...before, secrets: put(before.secrets, key, value) })),
    [change],
  );
  const drop = useCallback<DraftActions["drop"]>(
    (keys) =>
      change((before) => ({
        values: keys.reduce((left, key) => put(left, key, undefined), before.values),
        secrets: keys.reduce((left, key) => put(left, key, undefined), before.secrets),
      })),
    [change],
  );
  return { ...draft, setValue, setSecret, drop };
}

function put<T>(values: Readonly<Record<string, T>>, key: string, value: T | undefined): Record<string, T> {
  const others = Object.entries(values).filter(([name]) => name !== key);
  return Object.fromEntries(value === undefined ? others : [...others, [key, value]]);
}
