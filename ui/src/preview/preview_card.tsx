/** What would change on one scene. */
import React from "react";
import type { PreviewRow } from "../api/answers";
import { Diff, Kept } from "../parts/diff";
import { SceneLink } from "../parts/scene_link";
import { TARGET_NAMES } from "../parts/target_names";
import { commonTexts, previewTexts } from "../texts";

export function previewKey(scene: PreviewRow): string {
  return `${scene.target} ${scene.scene_id}`;
}

interface Props {
  scene: PreviewRow;
  hasSeveral: boolean;
  isSelected: boolean;
  /** Without it there is nothing to choose. */
  onSelect?: (isOn: boolean) => void;
}

export function PreviewCard({ scene, hasSeveral, isSelected, onSelect }: Props) {
  const title = scene.title ?? commonTexts.scene(scene.scene_id);
  return (
    <li className="card s2p-row">
      <div className="s2p-row-head">
        {onSelect && scene.changes.length > 0 && (
          <label className="s2p-check">
            <input
              type="checkbox"
              aria-label={commonTexts.select(title)}
              checked={isSelected}
              onChange={(event) => onSelect(event.target.checked)}
            />
          </label>
        )}
        <div className="s2p-row-title">
          <SceneLink id={scene.scene_id} title={scene.title} />
          <span className="s2p-row-facts text-muted">
            {hasSeveral && `${TARGET_NAMES[scene.target]} · `}
            {scene.changes.length > 0 ? previewTexts.changes(scene.changes.length) : scene.sentence}
          </span>
        </div>
      </div>
      {scene.changes.length > 0 && <Diff changes={scene.changes} />}
      {scene.kept.length > 0 && (
        <>
          <h3>{previewTexts.kept}</h3>
          <Kept changes={scene.kept} />
        </>
      )}
    </li>
  );
}
