/** What a sync would change, field by field; all of it or a selection can be applied. */
import React, { useState } from "react";
import type { PreviewCounts, PreviewPage, PreviewRow, Said, Status, Target } from "../api/answers";
import { useAct, useAnswer } from "../api/hooks";
import { ask, startTask } from "../api/operations";
import { useRefresh } from "../api/refresh";
import { statusStore } from "../api/status_store";
import { Confirm } from "../parts/confirm";
import { Moment } from "../parts/moment";
import { Note } from "../parts/note";
import { Pager, usePages } from "../parts/pager";
import { Press } from "../parts/press";
import { Empty, Loading, Outcome, Shown } from "../parts/states";
import { targetsOn } from "../parts/target_names";
import { commonTexts, previewTexts, taskTexts } from "../texts";
import { PreviewCard, previewKey } from "./preview_card";
import { usePreviewRun, type PreviewRun } from "./preview_run";

const PAGE_SIZE = 25;
const COUNTS: readonly (keyof PreviewCounts)[] = ["would_change", "right", "unmatched", "ambiguous", "refused", "skipped"];

export function Preview({ status }: { status: Status | null }) {
  const pages = usePages("preview");
  const args = { limit: PAGE_SIZE, after: pages.after };
  const result = useAnswer(JSON.stringify(args), (signal) => ask<PreviewPage>("preview_result", args, signal));
  useRefresh(result.again);
  const run = usePreviewRun(result);
  const isBusy = run.act.isBusy || run.state === "waiting" || run.state === "running";
  return (
    <>
      <p className="text-muted">{previewTexts.about}</p>
      <div className="s2p-buttons">
        <Press kind={result.value?.ran_at ? "secondary" : "primary"} isBusy={isBusy} onPress={() => run.start()}>
          {result.value?.ran_at ? previewTexts.runAgain : previewTexts.run}
        </Press>
        <RunState run={run} />
      </div>
      <RunProblem run={run} />
      <Shown answer={result}>
        {(value) =>
          value.ran_at === null ? (
            !isBusy && !run.failure && <Empty>{previewTexts.never}</Empty>
          ) : (
            <>
              <Counts result={value} />
              <Apply scenes={value.scenes} hasSeveral={targetsOn(status).length > 1} />
              <Pager pages={pages} next={value.next} />
            </>
          )
        }
      </Shown>
    </>
  );
}

/** How far the task is, while it is. */
export function RunState({ run }: { run: PreviewRun }) {
  if (run.state !== "waiting" && run.state !== "running") return null;
  return <Loading>{run.state === "running" ? previewTexts.running : previewTexts.waiting}</Loading>;
}

/** Why there is no new result. */
export function RunProblem({ run }: { run: PreviewRun }) {
  if (run.act.problem) return <Outcome act={run.act} />;
  if (run.state === "lost") return <Note tone="careful">{previewTexts.lost}</Note>;
  return run.failure && run.state === "idle" ? (
    <Note tone="bad" role="alert">
      {previewTexts.failed} {run.failure}
    </Note>
  ) : null;
}

function Counts({ result }: { result: PreviewPage }) {
  return (
    <p>
      {COUNTS.filter((one) => result.counts[one] > 0).map((one, index) => (
        <React.Fragment key={one}>
          {index > 0 && " · "}
          <strong>{result.counts[one].toLocaleString("en")}</strong> {previewTexts.counts[one]}
        </React.Fragment>
      ))}
      <span className="text-muted">
        {" "}
        (<Moment at={result.ran_at} />)
      </span>
    </p>
  );
}

function Apply({ scenes, hasSeveral }: { scenes: PreviewRow[]; hasSeveral: boolean }) {
  const act = useAct();
  const [selected, setSelected] = useState<ReadonlyMap<string, PreviewRow>>(new Map());
  const [isAsking, setIsAsking] = useState(false);
  const changing = scenes.filter((scene) => scene.changes.length > 0);
  const select = (scene: PreviewRow, isOn: boolean) => {
    const next = new Map(selected);
    if (isOn) next.set(previewKey(scene), scene);
    else next.delete(previewKey(scene));
    setSelected(next);
  };
  const applySelected = async () => {
    const said = await act.run(() => applyTo([...selected.values()]));
    if (said !== null) setSelected(new Map());
    statusStore.refresh();
  };
  const applyAll = async () => {
    setIsAsking(false);
    await act.run(async () => {
      await startTask("all", taskTexts.all?.name ?? "");
      return commonTexts.started;
    });
    statusStore.refresh();
  };
  if (changing.length === 0 && scenes.length === 0) return <Note tone="good">{previewTexts.nothing}</Note>;
  return (
    <>
      <div className="card s2p-buttons s2p-selection">
        <label className="s2p-check">
          <input
            type="checkbox"
            checked={changing.length > 0 && changing.every((scene) => selected.has(previewKey(scene)))}
            onChange={(event) =>
              setSelected(event.target.checked ? new Map([...selected, ...changing.map((one) => [previewKey(one), one] as const)]) : new Map())
            }
          />
          {commonTexts.selectPage}
        </label>
        <Press kind="primary" isDisabled={selected.size === 0} isBusy={act.isBusy} onPress={applySelected}>
          {previewTexts.applySelected(selected.size)}
        </Press>
        <Press isBusy={act.isBusy} onPress={() => setIsAsking(true)}>
          {previewTexts.applyAll}
        </Press>
      </div>
      <Outcome act={act} />
      <ul className="s2p-rows">
        {[...changing, ...scenes.filter((scene) => scene.changes.length === 0)].map((scene) => (
          <PreviewCard
            key={previewKey(scene)}
            scene={scene}
            hasSeveral={hasSeveral}
            isSelected={selected.has(previewKey(scene))}
            onSelect={(isOn) => select(scene, isOn)}
          />
        ))}
      </ul>
      {isAsking && (
        <Confirm title={previewTexts.applyAll} confirm={previewTexts.applyAll} onCancel={() => setIsAsking(false)} onConfirm={applyAll}>
          {previewTexts.applyAllSure}
        </Confirm>
      )}
    </>
  );
}

async function applyTo(scenes: PreviewRow[]): Promise<Said & { ok: boolean }> {
  const byTarget = new Map<Target, number[]>();
  for (const scene of scenes) byTarget.set(scene.target, [...(byTarget.get(scene.target) ?? []), scene.scene_id]);
  const said: (Said & { ok?: boolean })[] = [];
  for (const [target, ids] of byTarget) said.push(await ask<Said>("sync_scenes", { ids, target }));
  return { sentence: said.map((one) => one.sentence).join(" "), ok: said.every((one) => one.ok !== false) };
}
