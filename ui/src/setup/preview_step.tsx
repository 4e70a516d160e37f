/** Step three: what would change on ten scenes, and the start. */
import React, { useEffect, useRef } from "react";
import { useHistory } from "react-router-dom";
import type { PreviewPage } from "../api/answers";
import { useAct, useAnswer } from "../api/hooks";
import { ask, startTask } from "../api/operations";
import { saveSettings } from "../api/save_settings";
import { statusStore } from "../api/status_store";
import { Note } from "../parts/note";
import { Press } from "../parts/press";
import { Loading, Outcome } from "../parts/states";
import { RunProblem } from "../preview/preview";
import { PreviewCard, previewKey } from "../preview/preview_card";
import { usePreviewRun, type PreviewRun } from "../preview/preview_run";
import { ROUTE } from "../stash/plugin_api";
import { commonTexts, previewTexts, setupTexts, taskTexts } from "../texts";

const SCENES = 10;

export function PreviewStep({ back }: { back: () => void }) {
  const history = useHistory();
  const start = useAct();
  const { run, page } = useFreshPreview();
  const hasStopped = run.act.problem !== null || run.state === "lost" || (run.hasEnded && run.failure !== null);
  const begin = async () => {
    const said = await start.run(async () => {
      const saved = await saveSettings({ enabled: true });
      if (saved.ok) await startTask("all", taskTexts.all?.name ?? "");
      return { ok: saved.ok, sentence: saved.sentence };
    });
    statusStore.refresh();
    if (said !== null) history.push(ROUTE);
  };
  return (
    <>
      <h3>{setupTexts.preview}</h3>
      <p>{setupTexts.previewAbout}</p>
      {hasStopped ? (
        <>
          <RunProblem run={run} />
          <Press onPress={() => run.start(SCENES)}>{commonTexts.again}</Press>
        </>
      ) : (
        !page && <Loading>{run.state === "running" ? previewTexts.running : previewTexts.waiting}</Loading>
      )}
      {page?.scenes.length === 0 && <Note tone="good">{previewTexts.nothing}</Note>}
      <ul className="s2p-rows">
        {page?.scenes.slice(0, SCENES).map((scene) => (
          <PreviewCard key={previewKey(scene)} scene={scene} hasSeveral isSelected={false} />
        ))}
      </ul>
      <p>{setupTexts.startAbout}</p>
      <Outcome act={start} />
      <div className="s2p-buttons">
        <Press onPress={back}>{setupTexts.back}</Press>
        <Press kind="primary" isBusy={start.isBusy} onPress={begin}>
          {setupTexts.start}
        </Press>
      </div>
    </>
  );
}

/** Starts a preview of ten scenes and gives its result: one that an earlier preview left is not taken for it. */
function useFreshPreview(): { run: PreviewRun; page: PreviewPage | null } {
  const result = useAnswer("preview_result", (signal) => ask<PreviewPage>("preview_result", { limit: SCENES }, signal));
  const run = usePreviewRun(result);
  const wasStarted = useRef(false);
  const isKnown = result.value !== null || result.problem !== null;
  const { start } = run;
  useEffect(() => {
    if (wasStarted.current || !isKnown) return;
    wasStarted.current = true;
    void start(SCENES);
  }, [isKnown, start]);
  return { run, page: run.hasEnded && !run.failure ? result.value : null };
}
