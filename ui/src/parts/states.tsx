/** The states that every part has beside its content: loading, a problem, empty, and what an act said. */
import React, { createContext, useContext, type ReactNode } from "react";
import { Spinner } from "react-bootstrap";
import type { AskError, ProblemKind } from "../api/ask_error";
import type { Act, Answer } from "../api/hooks";
import { commonTexts, problemTexts } from "../texts";
import { Note } from "./note";
import { Press } from "./press";

/** What the frame around a part already says: the part does not say it again. */
export const SaidAbove = createContext<ProblemKind | null>(null);

export function Loading({ children }: { children?: ReactNode }) {
  return (
    <p className="s2p-quiet s2p-loading" role="status">
      <Spinner animation="border" size="sm" aria-hidden="true" /> {children ?? commonTexts.loading}
    </p>
  );
}

export function ProblemNote({ problem, again }: { problem: AskError; again?: () => void }) {
  const isStale = problem.kind === "outdated" || problem.kind === "gone";
  const sentence = problem.kind === "said" ? problem.message : problemTexts[problem.kind];
  return (
    <Note
      tone={problem.kind === "said" ? "bad" : "careful"}
      role="alert"
      actions={
        isStale ? (
          <Press kind="primary" onPress={() => window.location.reload()}>
            {commonTexts.reload}
          </Press>
        ) : (
          again && <Press onPress={again}>{commonTexts.again}</Press>
        )
      }
    >
      {sentence}
    </Note>
  );
}

export function Empty({ children }: { children: ReactNode }) {
  return <p className="s2p-empty">{children}</p>;
}

/** What an act said, or what went wrong with it; `onlyBad` where good news are shown elsewhere. */
export function Outcome({ act, onlyBad = false }: { act: Act; onlyBad?: boolean }) {
  if (act.problem) return <ProblemNote problem={act.problem} />;
  if (!act.outcome || (onlyBad && act.outcome.isGood)) return null;
  return (
    <Note tone={act.outcome.isGood ? "good" : "bad"} role={act.outcome.isGood ? "status" : "alert"}>
      {act.outcome.sentence}
    </Note>
  );
}

/** Shows an answer; a problem stands above what was known before, which is never taken away. */
export function Shown<T>({ answer, loading, children }: { answer: Answer<T>; loading?: string; children: (value: T) => ReactNode }) {
  const saidAbove = useContext(SaidAbove);
  const isSaid = answer.problem?.kind !== "said" && answer.problem?.kind === saidAbove;
  return (
    <>
      {answer.problem && !isSaid && <ProblemNote problem={answer.problem} again={answer.again} />}
      {answer.value === null && answer.isAsking && <Loading>{loading}</Loading>}
      {answer.value !== null && (
        <div className={answer.isAsking ? "s2p-renewing" : undefined} aria-busy={answer.isAsking}>
          {children(answer.value)}
        </div>
      )}
    </>
  );
}
