/** A state in a word, with a coloured dot beside it: text and ground keep the theme's own contrast. */
import React, { type ReactNode } from "react";
import type { SceneState } from "../api/answers";
import { stateTexts } from "../texts";
import type { Tone } from "./note";

export function Pill({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className="s2p-pill">
      <span className={`s2p-light s2p-${tone}`} aria-hidden="true" />
      {children}
    </span>
  );
}

export const STATE_TONES: Record<SceneState, Tone> = {
  synced: "good",
  waiting: "careful",
  ambiguous: "careful",
  refused: "bad",
  skipped: "plain",
  failed: "bad",
  undone: "plain",
  ignored: "plain",
};

/** Any state; one that this page does not know is shown by its own name. */
export function StatePill({ state }: { state: string }) {
  const known = state in STATE_TONES ? (state as SceneState) : null;
  return <Pill tone={known ? STATE_TONES[known] : "plain"}>{known ? stateTexts[known] : state}</Pill>;
}
