/** Runs with the values before and after; undo of one, some or all, which says first what will happen. */
import React, { useState } from "react";
import { useHistory, useLocation } from "react-router-dom";
import type { Entries, EntryRow, RunRow, Runs, Status, Target } from "../api/answers";
import { useAnswer } from "../api/hooks";
import { ask } from "../api/operations";
import { useRefresh } from "../api/refresh";
import { statusStore } from "../api/status_store";
import { ChoiceChips } from "../parts/choice_chips";
import { Values, fieldName } from "../parts/diff";
import { Moment } from "../parts/moment";
import { Note } from "../parts/note";
import { Pager, usePages } from "../parts/pager";
import { Press } from "../parts/press";
import { SceneLink } from "../parts/scene_link";
import { Empty, Shown } from "../parts/states";
import { TARGET_NAMES, targetsOn } from "../parts/target_names";
import { commonTexts, historyTexts, problemsTexts } from "../texts";
import { UndoQuestion, type UndoScope } from "./undo_question";

const PAGE_SIZE = 20;

export function History({ status }: { status: Status | null }) {
  const { search, pathname } = useLocation();
  const router = useHistory();
  const on = targetsOn(status);
  const target = on.find((one) => one === new URLSearchParams(search).get("target")) ?? null;
  return (
    <>
      <p className="text-muted">{historyTexts.about}</p>
      {on.length > 1 && (
        <div className="s2p-filters">
          <ChoiceChips
            label={problemsTexts.targetLabel}
            chosen={target ?? "all"}
            choices={[{ value: "all", text: commonTexts.allTargets }, ...on.map((one) => ({ value: one, text: TARGET_NAMES[one] }))]}
            onChoose={(one) => router.replace(one === "all" ? pathname : `${pathname}?target=${one}`)}
          />
        </div>
      )}
      <RunTable key={target ?? "all"} target={target} />
    </>
  );
}

function RunTable({ target }: { target: Target | null }) {
  const pages = usePages(target ?? "all");
  const args = { target, limit: PAGE_SIZE, after: pages.after };
  const list = useAnswer(JSON.stringify(args), (signal) => ask<Runs>("journal", args, signal));
  useRefresh(list.again);
  const [selected, setSelected] = useState<ReadonlyMap<string, RunRow>>(new Map());
  const [scopes, setScopes] = useState<UndoScope[] | null>(null);
  const [said, setSaid] = useState<string | null>(null);
  const done = (sentence: string) => {
    setScopes(null);
    setSaid(sentence);
    setSelected(new Map());
    list.again();
    statusStore.refresh();
  };
  const select = (run: RunRow, isOn: boolean) => {
    const next = new Map(selected);
    if (isOn) next.set(runKey(run), run);
    else next.delete(runKey(run));
    setSelected(next);
  };
  // The newest first: what a later run wrote must be back before the earlier one's value can be.
  const chosen = [...selected.values()].sort((one, other) => other.run_id - one.run_id);
  return (
    <>
      {said && (
        <Note tone="good" role="status">
          {said}
        </Note>
      )}
      <Shown answer={list}>
        {({ runs, next }) =>
          runs.length === 0 ? (
            <Empty>{historyTexts.none}</Empty>
          ) : (
            <>
              <div className="card s2p-buttons s2p-selection">
                <Press
                  kind="primary"
                  isDisabled={chosen.length === 0}
                  onPress={() => setScopes(chosen.map((run) => ({ target: run.target, run_id: run.run_id })))}
                >
                  {historyTexts.undoSelected(chosen.length)}
                </Press>
                <Press onPress={() => setScopes([{ target, all: true }])}>{historyTexts.undoAll}</Press>
              </div>
              <ul className="s2p-rows">
                {runs.map((run) => (
                  <RunCard
                    key={runKey(run)}
                    run={run}
                    isSelected={selected.has(runKey(run))}
                    onSelect={(isOn) => select(run, isOn)}
                    onUndo={(scope) => setScopes([scope])}
                  />
                ))}
              </ul>
              <Pager pages={pages} next={next} />
            </>
          )
        }
      </Shown>
      {scopes && <UndoQuestion scopes={scopes} done={done} cancel={() => setScopes(null)} />}
    </>
  );
}

interface RunProps {
  run: RunRow;
  isSelected: boolean;
  onSelect: (isOn: boolean) => void;
  onUndo: (scope: UndoScope) => void;
}

function RunCard({ run, isSelected, onSelect, onUndo }: RunProps) {
  const [isOpen, setIsOpen] = useState(false);
  const name = historyTexts.kinds[run.kind] ?? run.kind;
  const left = run.written - run.undone;
  return (
    <li className="card s2p-row">
      <div className="s2p-row-head">
        <label className="s2p-check">
          <input
            type="checkbox"
            aria-label={commonTexts.select(`${name} ${run.run_id}`)}
            disabled={left <= 0}
            checked={isSelected}
            onChange={(event) => onSelect(event.target.checked)}
          />
        </label>
        <div className="s2p-row-title">
          <strong>
            {name}, <Moment at={run.began_at} />
          </strong>
          <span className="s2p-row-facts text-muted">
            {TARGET_NAMES[run.target]} · {historyTexts.wrote(run.written, run.scenes)}
            {run.undone > 0 && ` · ${historyTexts.undoneCount(run.undone)}`}
          </span>
        </div>
      </div>
      <div className="s2p-buttons">
        <Press isExpanded={isOpen} onPress={() => setIsOpen(!isOpen)}>
          {isOpen ? historyTexts.hide : historyTexts.show}
        </Press>
        <Press isDisabled={left <= 0} onPress={() => onUndo({ target: run.target, run_id: run.run_id })}>
          {historyTexts.undoRun}
        </Press>
      </div>
      {isOpen && <EntryTable args={{ target: run.target, run_id: run.run_id }} onUndo={onUndo} />}
    </li>
  );
}

interface EntriesProps {
  args: { target?: Target; run_id?: number; scene_id?: number };
  onUndo: (scope: UndoScope) => void;
}

/** The values of a run or of a scene, a page at a time. */
export function EntryTable({ args, onUndo }: EntriesProps) {
  const pages = usePages(JSON.stringify(args));
  const asked = { ...args, limit: PAGE_SIZE, after: pages.after };
  const list = useAnswer(JSON.stringify(asked), (signal) => ask<Entries>("journal", asked, signal));
  return (
    <Shown answer={list}>
      {({ entries, next }) =>
        entries.length === 0 ? (
          <Empty>{historyTexts.none}</Empty>
        ) : (
          <>
            <ul className="s2p-list s2p-entries" aria-label={historyTexts.entries}>
              {entries.map((entry) => (
                <EntryLine key={entry.id} entry={entry} showsScene={args.scene_id === undefined} onUndo={onUndo} />
              ))}
            </ul>
            <Pager pages={pages} next={next} />
          </>
        )
      }
    </Shown>
  );
}

function EntryLine({ entry, showsScene, onUndo }: { entry: EntryRow; showsScene: boolean; onUndo: (scope: UndoScope) => void }) {
  return (
    <li>
      <div className="s2p-entry">
        <span className="s2p-row-facts text-muted">
          {showsScene ? <SceneLink id={entry.scene_id} /> : TARGET_NAMES[entry.target]} · {fieldName(entry.field)} ·{" "}
          <Moment at={entry.at} />
          {entry.undone_at && ` · ${historyTexts.undone}`}
        </span>
        <Values old={entry.old} new={entry.new} />
      </div>
      {!entry.undone_at && (
        <Press
          label={`${historyTexts.undoEntry}: ${fieldName(entry.field)}`}
          icon="faRotateLeft"
          onPress={() => onUndo({ target: entry.target, ids: [entry.id] })}
        >
          {historyTexts.undo}
        </Press>
      )}
    </li>
  );
}

function runKey(run: RunRow): string {
  return `${run.target} ${run.run_id}`;
}
