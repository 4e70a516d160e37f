/** One scene that is not as it should be, and what can be done about it. */
import React, { useState } from "react";
import type { Said, SceneRow } from "../api/answers";
import { useAct } from "../api/hooks";
import { ask } from "../api/operations";
import { useSceneTitle } from "../api/titles";
import { Moment } from "../parts/moment";
import { Pill, StatePill } from "../parts/pill";
import { Press } from "../parts/press";
import { SceneLink } from "../parts/scene_link";
import { Outcome } from "../parts/states";
import { TARGET_NAMES } from "../parts/target_names";
import { commonTexts, problemsTexts, stateTexts } from "../texts";
import { ChooseItem } from "./choose_item";

interface Props {
  row: SceneRow;
  isSelected: boolean;
  onSelect: (isOn: boolean) => void;
  changed: (sentence: string) => void;
}

export function ProblemRow({ row, isSelected, onSelect, changed }: Props) {
  const act = useAct();
  const [isChoosing, setIsChoosing] = useState(false);
  const title = useSceneTitle(row.scene_id, row.title) ?? commonTexts.scene(row.scene_id);
  const perform = async (mode: string, args: object) => {
    const said = await act.run(() => ask<Said>(mode, { target: row.target, ...args }));
    if (said !== null) changed(said);
  };
  const one = { scene_id: row.scene_id };
  const canRetry = row.state !== "ambiguous" && row.state !== "ignored" && row.state !== "skipped";
  return (
    <li className="card s2p-row">
      <div className="s2p-row-head">
        <label className="s2p-check">
          <input
            type="checkbox"
            aria-label={commonTexts.select(title)}
            checked={isSelected}
            onChange={(event) => onSelect(event.target.checked)}
          />
        </label>
        <div className="s2p-row-title">
          <SceneLink id={row.scene_id} title={row.title} />
          <span className="s2p-row-facts text-muted">
            {TARGET_NAMES[row.target]} · <Moment at={row.recorded_at} />
          </span>
        </div>
        <StatePill state={row.state} />
        {row.is_queued && <Pill tone="plain">{stateTexts.queued}</Pill>}
      </div>
      <p className="s2p-sentence">{row.sentence}</p>
      {row.next_step && <p className="s2p-sentence s2p-next">{row.next_step}</p>}
      {row.pinned_to && <p className="s2p-sentence">{problemsTexts.pinned}</p>}
      <div className="s2p-buttons">
        {(row.state === "ambiguous" || row.state === "waiting") && (
          <Press kind="primary" isExpanded={isChoosing} onPress={() => setIsChoosing(!isChoosing)}>
            {problemsTexts.choose}
          </Press>
        )}
        {canRetry && (
          <Press
            kind={row.state === "waiting" ? "secondary" : "primary"}
            isBusy={act.isBusy}
            onPress={() =>
              row.state === "failed" ? perform("retry", { scene_ids: [row.scene_id] }) : perform("sync_scenes", { ids: [row.scene_id] })
            }
          >
            {row.state === "undone" ? problemsTexts.syncAgain : problemsTexts.retry}
          </Press>
        )}
        {row.state === "waiting" && (
          <Press isBusy={act.isBusy} onPress={() => perform("scan_scene", one)}>
            {problemsTexts.scan}
          </Press>
        )}
        {row.pinned_to && (
          <Press isBusy={act.isBusy} onPress={() => perform("unmap_scene", one)}>
            {problemsTexts.unpin}
          </Press>
        )}
        {row.state === "ignored" ? (
          <Press kind="primary" isBusy={act.isBusy} onPress={() => perform("ignore_scene", { ...one, ignore: false })}>
            {problemsTexts.stopIgnoring}
          </Press>
        ) : (
          <Press isBusy={act.isBusy} onPress={() => perform("ignore_scene", { ...one, ignore: true })}>
            {problemsTexts.ignore}
          </Press>
        )}
      </div>
      <Outcome act={act} onlyBad />
      {isChoosing && <ChooseItem sceneId={row.scene_id} target={row.target} changed={changed} />}
    </li>
  );
}
