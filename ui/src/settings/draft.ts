/** What a person typed and did not save yet: it outlives errors, other parts, and a login that expires. Secrets only in memory. */
import { useCallback, useState } from "react";

export type Typed = boolean | string;

export interface Draft {
  values: Readonly<Record<string, Typed>>;
  /** A text is a new secret, null takes the old one away. */
  secrets: Readonly<Record<string, string | null>>;
  /** Keys whose secret was typed before this page was loaded, and is gone: only that it was typed is kept. */
  lost: readonly string[];
}

export interface DraftActions {
  setValue: (key: string, value: Typed | undefined) => void;
  setSecret: (key: string, value: string | null | undefined) => void;
  drop: (keys: readonly string[]) => void;
}

const KEY = "stash2plex.draft";
const TYPED_KEY = "stash2plex.typed";
let secretsInMemory: Draft["secrets"] = {};

function readDraft(): Draft {
  const values = readKept(KEY);
  const typed = readKept(TYPED_KEY);
  return {
    values: values && typeof values === "object" ? (values as Draft["values"]) : {},
    secrets: secretsInMemory,
    lost: Array.isArray(typed) ? typed.map(String).filter((key) => secretsInMemory[key] === undefined) : [],
  };
}

function readKept(key: string): unknown {
  try {
    return JSON.parse(window.sessionStorage.getItem(key) ?? "null");
  } catch {
    return null; // a browser that keeps nothing, or somebody else's text
  }
}

function keep(draft: Draft): void {
  secretsInMemory = draft.secrets;
  try {
    const typed = [...draft.lost, ...Object.keys(draft.secrets).filter((key) => draft.secrets[key])];
    store(KEY, draft.values, Object.keys(draft.values).length === 0);
    store(TYPED_KEY, typed, typed.length === 0);
  } catch {
    return; // a browser that keeps nothing: the form still has it
  }
}

function store(key: string, kept: unknown, isEmpty: boolean): void {
  if (isEmpty) window.sessionStorage.removeItem(key);
  else window.sessionStorage.setItem(key, JSON.stringify(kept));
}

export function useDraft(): Draft & DraftActions {
  const [draft, setDraft] = useState<Draft>(readDraft);
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
    (key, value) =>
      change((before) => ({ ...before, secrets: put(before.secrets, key, value), lost: before.lost.filter((one) => one !== key) })),
    [change],
  );
  const drop = useCallback<DraftActions["drop"]>(
    (keys) =>
      change((before) => ({
        values: keys.reduce((left, key) => put(left, key, undefined), before.values),
        secrets: keys.reduce((left, key) => put(left, key, undefined), before.secrets),
        lost: before.lost.filter((key) => !keys.includes(key)),
      })),
    [change],
  );
  return { ...draft, setValue, setSecret, drop };
}

function put<T>(values: Readonly<Record<string, T>>, key: string, value: T | undefined): Record<string, T> {
  const others = Object.entries(values).filter(([name]) => name !== key);
  return Object.fromEntries(value === undefined ? others : [...others, [key, value]]);
}
