/** A sentence that matters, with a coloured edge and a sign: never by colour alone. */
import React, { type ReactNode } from "react";
import { Icon } from "./icon";

export type Tone = "good" | "bad" | "careful" | "plain";

const SIGNS: Record<Tone, string> = { good: "faCheck", bad: "faXmark", careful: "faTriangleExclamation", plain: "faCircleInfo" };

interface Props {
  tone?: Tone;
  /** Read out at once (alert), when there is time (status), or not by itself. */
  role?: "alert" | "status";
  children?: ReactNode;
  actions?: ReactNode;
}

export function Note({ tone = "plain", role, children, actions }: Props) {
  return (
    <div className={`s2p-note s2p-${tone}`} role={role}>
      <Icon name={SIGNS[tone]} />
      <div className="s2p-note-text">{children}</div>
      {actions && <div className="s2p-actions">{actions}</div>}
    </div>
  );
}
