/** How components ask: an answer that is kept while it is asked for again, an act with its outcome, the status. */
import { useCallback, useEffect, useRef, useState } from "react";
import { isAbort, readError, type AskError } from "./ask_error";
import { statusStore, type Snapshot } from "./status_store";

export interface Answer<T> {
  value: T | null;
  problem: AskError | null;
  isAsking: boolean;
  again: () => void;
}

/** Asks whenever `key` changes, and aborts on leaving; a null key asks nothing. The value stays until a new one is there. */
export function useAnswer<T>(key: string | null, asking: (signal: AbortSignal) => Promise<T>): Answer<T> {
  const [state, setState] = useState<{ key: string | null; value: T | null; problem: AskError | null; isAsking: boolean }>({
    key: null,
    value: null,
    problem: null,
    isAsking: key !== null,
  });
  const [round, setRound] = useState(0);
  const latest = useRef(asking);
  latest.current = asking;
  useEffect(() => {
    if (key === null) return undefined;
    const flight = new AbortController();
    setState((before) => ({ ...before, isAsking: true }));
    latest.current(flight.signal).then(
      (value) => {
        if (!flight.signal.aborted) setState({ key, value, problem: null, isAsking: false });
      },
      (error: unknown) => {
        if (isAbort(error) || flight.signal.aborted) return;
        setState((before) => ({ ...before, problem: readError(error), isAsking: false }));
      },
    );
    return () => flight.abort();
  }, [key, round]);
  const again = useCallback(() => setRound((before) => before + 1), []);
  useReturn(state.problem, again);
  return { value: state.value, problem: state.problem, isAsking: state.isAsking, again };
}

const RETURNS = 3;

/** Asks again by itself when Stash was away and is back; a few times only, as a proxy may cut what takes long each time. */
function useReturn(problem: AskError | null, again: () => void): void {
  const left = useRef(RETURNS);
  const isAway = problem?.kind === "away";
  useEffect(() => {
    if (!isAway || left.current === 0) return undefined;
    return statusStore.subscribe((snapshot) => {
      if (snapshot.problem) return;
      left.current -= 1;
      again();
    });
  }, [isAway, again]);
}

export interface Outcome {
  sentence: string;
  isGood: boolean;
}

export interface Act {
  isBusy: boolean;
  outcome: Outcome | null;
  problem: AskError | null;
  /** Resolves to the sentence if it worked, else to null; never rejects. */
  run: (work: (signal: AbortSignal) => Promise<{ sentence: string; ok?: boolean } | string>) => Promise<string | null>;
  clear: () => void;
}

const NOTHING = { isBusy: false, outcome: null, problem: null };

/** One thing at a time that a button does. Leaving aborts only work that takes the signal: what writes goes on to its end. */
export function useAct(): Act {
  const [state, setState] = useState<Pick<Act, "isBusy" | "outcome" | "problem">>(NOTHING);
  const flight = useRef<AbortController | null>(null);
  useEffect(() => () => flight.current?.abort(), []);
  const run = useCallback<Act["run"]>(async (work) => {
    const mine = new AbortController();
    flight.current = mine;
    setState({ ...NOTHING, isBusy: true });
    try {
      const said = await work(mine.signal);
      const outcome = typeof said === "string" ? { sentence: said, isGood: true } : { sentence: said.sentence, isGood: said.ok ?? true };
      if (!mine.signal.aborted) setState({ ...NOTHING, outcome });
      return outcome.isGood ? outcome.sentence : null;
    } catch (error) {
      if (!mine.signal.aborted && !isAbort(error)) setState({ ...NOTHING, problem: readError(error) });
      return null;
    }
  }, []);
  const clear = useCallback(() => setState(NOTHING), []);
  return { ...state, run, clear };
}

export function useStatus(): Snapshot {
  const [snapshot, setSnapshot] = useState(statusStore.get());
  useEffect(() => statusStore.subscribe(setSnapshot), []);
  return snapshot;
}
