/** Says what an undo would put back, and does it when the person agrees. */
import React from "react";
import type { Target, UndoPlan, Undone } from "../api/answers";
import { useAct, useAnswer } from "../api/hooks";
import { ask, startTask } from "../api/operations";
import { Confirm } from "../parts/confirm";
import { Values, fieldName } from "../parts/diff";
import { SceneLink } from "../parts/scene_link";
import { Outcome, Shown } from "../parts/states";
import { historyTexts, taskTexts } from "../texts";

/** A run, a scene, some values or everything, on one target or on all. */
export interface UndoScope {
  target: Target | null;
  run_id?: number;
  scene_id?: number;
  ids?: number[];
  all?: true;
}

/** Proxies cut a request after a minute: what may take longer is a task. */
const AT_ONCE = 200;

interface Props {
  scopes: UndoScope[];
  done: (sentence: string) => void;
  cancel: () => void;
}

export function UndoQuestion({ scopes, done, cancel }: Props) {
  const plan = useAnswer(JSON.stringify(scopes), (signal) => planAll(scopes, signal));
  const act = useAct();
  const confirm = async () => {
    const isMuch = (plan.value?.values ?? 0) > AT_ONCE;
    const said = await act.run(() => (isMuch ? undoAsTask(scopes) : undoAll(scopes)));
    if (said !== null) done(said);
  };
  return (
    <Confirm
      title={historyTexts.planTitle}
      confirm={historyTexts.confirm}
      canConfirm={(plan.value?.values ?? 0) > 0}
      isBusy={act.isBusy}
      onConfirm={confirm}
      onCancel={cancel}
    >
      <Shown answer={plan} loading={historyTexts.planAsking}>
        {(value) => <PlanShown plan={value} />}
      </Shown>
      <Outcome act={act} />
    </Confirm>
  );
}

function PlanShown({ plan }: { plan: UndoPlan }) {
  if (plan.values === 0) return <p>{historyTexts.planNothing}</p>;
  const more = plan.values - plan.items.length;
  return (
    <>
      <p>
        <strong>{plan.sentence}</strong>
      </p>
      {plan.later_edits > 0 && <p>{historyTexts.laterEdits(plan.later_edits)}</p>}
      <ul className="s2p-list">
        {plan.items.map((item, index) => (
          <li key={index}>
            <SceneLink id={item.scene_id} /> · {fieldName(item.field)}
            <div>
              <Values old={item.from} new={item.to} />
            </div>
          </li>
        ))}
      </ul>
      {more > 0 && <p className="text-muted">{historyTexts.more(more)}</p>}
    </>
  );
}

async function planAll(scopes: UndoScope[], signal: AbortSignal): Promise<UndoPlan> {
  const plans: UndoPlan[] = [];
  for (const scope of scopes) plans.push(await ask<UndoPlan>("undo_plan", { ...scope }, signal));
  return {
    sentence: plans.map((one) => one.sentence).join(" "),
    values: plans.reduce((sum, one) => sum + one.values, 0),
    scenes: plans.reduce((sum, one) => sum + one.scenes, 0),
    items: plans.flatMap((one) => one.items),
    later_edits: plans.reduce((sum, one) => sum + one.later_edits, 0),
  };
}

async function undoAll(scopes: UndoScope[]): Promise<string> {
  const sentences: string[] = [];
  for (const scope of scopes) sentences.push((await ask<Undone>("undo", { ...scope })).sentence);
  return sentences.join(" ");
}

async function undoAsTask(scopes: UndoScope[]): Promise<string> {
  for (const scope of scopes) await startTask("undo", taskTexts.undo?.name ?? "", { ...scope });
  return historyTexts.manyStarted;
}
