/** The tab on a scene: where it stands on each server, what differs, and what can be done. */
import React, { useEffect, useState } from "react";
import type { Explanation, Said, TargetExplanation } from "../api/answers";
import { useAct, useAnswer, type Answer } from "../api/hooks";
import { ask } from "../api/operations";
import { EntryTable } from "../history/history";
import { UndoQuestion, type UndoScope } from "../history/undo_question";
import { Diff, Kept, fieldName } from "../parts/diff";
import { Moment } from "../parts/moment";
import { Note } from "../parts/note";
import { Pill, StatePill } from "../parts/pill";
import { Press } from "../parts/press";
import { Empty, Outcome, Shown } from "../parts/states";
import { UpdatedNote } from "../parts/updated_note";
import { ChooseItem } from "../problems/choose_item";
import { problemsTexts, sceneTexts, stateTexts, verdictTexts } from "../texts";

/** After a sync was asked for: when to look again, as long as the job is still there. */
const LOOK_AGAIN_SECONDS = [1.5, 3, 6, 12];

export function SceneTab({ sceneId, entryVersion }: { sceneId: string; entryVersion: string }) {
  const id = Number(sceneId);
  const story = useAnswer(sceneId, (signal) => ask<Explanation>("explain", { scene_id: id }, signal));
  const [scopes, setScopes] = useState<UndoScope[] | null>(null);
  const [said, setSaid] = useState<string | null>(null);
  const [isHistoryOpen, setIsHistoryOpen] = useState(false);
  const watch = useLookingAgain(story);
  const changed = (sentence: string) => {
    setScopes(null);
    setSaid(sentence);
    story.again();
    watch();
  };
  return (
    <div className="stash2plex s2p-tab">
      <UpdatedNote entryVersion={entryVersion} />
      {said && (
        <Note tone="good" role="status">
          {said}
        </Note>
      )}
      <Shown answer={story} loading={sceneTexts.asking}>
        {(value) => (
          <>
            {value.obstacle && <Note tone="careful">{value.obstacle}</Note>}
            {value.targets.length === 0 && <Empty>{sceneTexts.none}</Empty>}
            {value.targets.map((one) => (
              <TargetStory key={one.target} sceneId={id} story={one} changed={changed} />
            ))}
            <div className="s2p-buttons">
              <Press isExpanded={isHistoryOpen} onPress={() => setIsHistoryOpen(!isHistoryOpen)}>
                {sceneTexts.history}
              </Press>
              <Press onPress={() => setScopes([{ target: null, scene_id: id }])}>{sceneTexts.undo}</Press>
            </div>
            {isHistoryOpen && <EntryTable args={{ scene_id: id }} onUndo={(scope) => setScopes([scope])} />}
          </>
        )}
      </Shown>
      {scopes && <UndoQuestion scopes={scopes} done={changed} cancel={() => setScopes(null)} />}
    </div>
  );
}

/** Looks again a few times while a job of this scene is in the queue, each time after an answer came; nothing polls for ever. */
function useLookingAgain({ value, isAsking, again }: Answer<Explanation>): () => void {
  const [turn, setTurn] = useState<number | null>(null);
  const isQueued = value?.targets.some((one) => one.queue.length > 0) ?? false;
  useEffect(() => {
    const seconds = turn === null ? undefined : LOOK_AGAIN_SECONDS[turn];
    if (turn === null || isAsking || seconds === undefined || (turn > 0 && !isQueued)) return undefined;
    const timer = window.setTimeout(() => {
      if (!document.hidden) again();
      setTurn(turn + 1);
    }, seconds * 1000);
    return () => window.clearTimeout(timer);
  }, [turn, isAsking, isQueued, again]);
  return () => setTurn(0);
}

/** Synced once, and a sync would now find something else to do: what the server shows counts, not what was recorded. */
function isOutdated({ state, plan }: TargetExplanation): boolean {
  return state === "synced" && plan !== null && (plan.verdict !== "right" || plan.changes.length > 0);
}

interface StoryProps {
  sceneId: number;
  story: TargetExplanation;
  changed: (sentence: string) => void;
}

function TargetStory({ sceneId, story, changed }: StoryProps) {
  const act = useAct();
  const [isChoosing, setIsChoosing] = useState(false);
  const perform = async (mode: string, args: object) => {
    const said = await act.run(() => ask<Said>(mode, { target: story.target, ...args }));
    if (said !== null) changed(said);
  };
  const { plan } = story;
  return (
    <section className="card s2p-card" aria-label={story.name}>
      <header className="s2p-card-head">
        <h2>{story.name}</h2>
        {isOutdated(story) ? (
          <Pill tone="careful">{verdictTexts[plan?.verdict ?? ""] ?? verdictTexts["would change"]}</Pill>
        ) : (
          story.state && <StatePill state={story.state} />
        )}
        {story.queue.length > 0 && <Pill tone="plain">{stateTexts.queued}</Pill>}
      </header>
      <p>{story.sentence}</p>
      {story.next_step && <p className="s2p-next">{story.next_step}</p>}
      {story.not_asked.map((sentence) => (
        <Note key={sentence} tone="careful">
          {sentence}
        </Note>
      ))}
      {story.queue.map((job, index) => (
        <p key={index} className="text-muted">
          {job.sentence}
        </p>
      ))}
      {story.dead_letters.map((letter) => (
        <Note key={letter.id} tone="bad">
          {letter.sentence}
        </Note>
      ))}
      <div className="s2p-buttons">
        <Press kind="primary" isBusy={act.isBusy} onPress={() => perform("sync_scenes", { ids: [sceneId] })}>
          {sceneTexts.sync}
        </Press>
        {story.item_url && /^https?:/.test(story.item_url) && (
          <a className="btn btn-secondary s2p-press" href={story.item_url} target="_blank" rel="noopener noreferrer">
            {sceneTexts.open(story.name)}
          </a>
        )}
        <Press isExpanded={isChoosing} onPress={() => setIsChoosing(!isChoosing)}>
          {problemsTexts.choose}
        </Press>
        {story.pinned_to && (
          <Press isBusy={act.isBusy} onPress={() => perform("unmap_scene", { scene_id: sceneId })}>
            {problemsTexts.unpin}
          </Press>
        )}
        <Press isBusy={act.isBusy} onPress={() => perform("ignore_scene", { scene_id: sceneId, ignore: !story.is_ignored })}>
          {story.is_ignored ? problemsTexts.stopIgnoring : problemsTexts.ignore}
        </Press>
      </div>
      <Outcome act={act} onlyBad />
      {isChoosing && <ChooseItem sceneId={sceneId} target={story.target} changed={changed} />}
      {plan && (
        <>
          <h3>{sceneTexts.differs}</h3>
          {plan.changes.length === 0 ? <p>{sceneTexts.same}</p> : <Diff changes={plan.changes} />}
          {plan.kept.length > 0 && (
            <>
              <h3>{sceneTexts.kept}</h3>
              <Kept changes={plan.kept} />
            </>
          )}
        </>
      )}
      <dl className="s2p-facts">
        {story.item_path && (
          <>
            <dt>{sceneTexts.item}</dt>
            <dd>
              <code className="s2p-path">{story.item_path}</code>
            </dd>
          </>
        )}
        <dt>{sceneTexts.lastSync}</dt>
        <dd>
          <Moment at={story.last_sync?.at ?? null} />
        </dd>
        {story.pictures.length > 0 && (
          <>
            <dt>{sceneTexts.pictures}</dt>
            {story.pictures.map((picture) => (
              <dd key={picture.place}>
                {fieldName(picture.place)}: {picture.sentence}
              </dd>
            ))}
          </>
        )}
      </dl>
    </section>
  );
}
