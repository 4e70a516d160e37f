/** Step three: what would change on ten scenes, and the start. */
import React, { useEffect, useRef, useState } from "react";
import { useHistory } from "react-router-dom";
import type { PreviewPage, SettingsSaved } from "../api/answers";
import { useAct, useAnswer, type Act } from "../api/hooks";
import { ask, startTask } from "../api/operations";
import { statusStore } from "../api/status_store";
import { Note } from "../parts/note";
import { Press } from "../parts/press";
import { Loading, Outcome } from "../parts/states";
import { usePolling } from "../preview/preview";
import { PreviewCard, previewKey } from "../preview/preview_card";
import { ROUTE } from "../stash/plugin_api";
import { previewTexts, setupTexts, taskTexts } from "../texts";

const SCENES = 10;

export function PreviewStep({ back }: { back: () => void }) {
  const history = useHistory();
  const look = useAct();
  const start = useAct();
  const result = useFreshPreview(look);
  const begin = async () => {
    const said = await start.run(async () => {
      const saved = await ask<SettingsSaved>("save_settings", { values: { enabled: true } });
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
      {look.problem && <Outcome act={look} />}
      {!result && !look.problem && <Loading>{previewTexts.running}</Loading>}
      {result?.scenes.length === 0 && <Note tone="good">{previewTexts.nothing}</Note>}
      <ul className="s2p-rows">
        {result?.scenes.slice(0, SCENES).map((scene) => (
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
function useFreshPreview({ run, problem }: Act): PreviewPage | null {
  const [before, setBefore] = useState<{ ran_at: string | null } | null>(null);
  const [isFresh, setIsFresh] = useState(false);
  const wasAsked = useRef(false);
  useEffect(() => {
    if (wasAsked.current) return;
    wasAsked.current = true;
    void run(async () => {
      const { ran_at } = await ask<PreviewPage>("preview_result", { limit: 1 });
      await startTask("preview", taskTexts.preview?.name ?? "", { limit: SCENES });
      setBefore({ ran_at });
      return previewTexts.running;
    });
  }, [run]);
  const result = useAnswer(before && "preview_result", (signal) => ask<PreviewPage>("preview_result", { limit: SCENES }, signal));
  const { value } = result;
  useEffect(() => {
    if (before && value && !value.is_running && value.ran_at !== before.ran_at) setIsFresh(true);
  }, [before, value]);
  usePolling(before !== null && !isFresh && !problem, result.again);
  return isFresh ? value : null;
}
