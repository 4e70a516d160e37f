/** Titles of scenes as Stash has them: what has never been synced has none in the plugin's books. Asked of Stash itself, together. */
import { gql } from "@apollo/client";
import { useEffect, useState } from "react";
import { stashClient } from "./operations";

const FRESH_MILLISECONDS = 60_000;
const TOGETHER_MILLISECONDS = 20;
const MOST_AT_ONCE = 100;

interface Known {
  title: string | null;
  at: number;
}

interface Found {
  title?: string | null;
  files?: { basename?: string }[];
}

const known = new Map<number, Known>();
const wanted = new Set<number>();
const listeners = new Set<() => void>();
let timer: number | undefined;

/** The title that is given, else Stash's, else the file's name; null until it is known, and for a scene that is gone. */
export function useSceneTitle(id: number, given?: string | null): string | null {
  const [title, setTitle] = useState(() => given ?? known.get(id)?.title ?? null);
  useEffect(() => {
    if (given) {
      setTitle(given);
      return undefined;
    }
    const read = () => setTitle(known.get(id)?.title ?? null);
    read();
    listeners.add(read);
    want(id);
    return () => {
      listeners.delete(read);
    };
  }, [id, given]);
  return title;
}

function want(id: number): void {
  const found = known.get(id);
  if (!Number.isSafeInteger(id) || (found && Date.now() - found.at < FRESH_MILLISECONDS)) return;
  wanted.add(id);
  timer ??= window.setTimeout(() => void fetchTitles(), TOGETHER_MILLISECONDS);
}

/** One query with a field for each scene: Stash refuses a list of ids of which one is gone. */
async function fetchTitles(): Promise<void> {
  timer = undefined;
  const ids = [...wanted].slice(0, MOST_AT_ONCE);
  ids.forEach((id) => wanted.delete(id));
  const fields = ids.map((id) => `s${id}: findScene(id: ${id}) { title files { basename } }`);
  try {
    const query = gql(`query Stash2PlexTitles { ${fields.join(" ")} }`);
    const { data } = await stashClient().query({ query, fetchPolicy: "no-cache" });
    const found = data as Record<string, Found | null>;
    for (const id of ids) known.set(id, { title: nameOf(found[`s${id}`]), at: Date.now() });
  } catch {
    return; // numbers are shown instead
  }
  listeners.forEach((listener) => listener());
  if (wanted.size > 0) timer ??= window.setTimeout(() => void fetchTitles(), TOGETHER_MILLISECONDS);
}

function nameOf(scene: Found | null | undefined): string | null {
  return scene?.title?.trim() || scene?.files?.[0]?.basename || null; // eslint-disable-line @typescript-eslint/prefer-nullish-coalescing -- an empty title is none
}
