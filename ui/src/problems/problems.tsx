/** Scenes by state, each with its sentence and the button that mends it; a page at a time, however many there are. */
import React, { useEffect, useRef, useState } from "react";
import { useHistory, useLocation } from "react-router-dom";
import type { Said, Scenes, SceneRow, SceneState, Status, Target } from "../api/answers";
import { useAct, useAnswer } from "../api/hooks";
import { ask } from "../api/operations";
import { useRefresh } from "../api/refresh";
import { statusStore } from "../api/status_store";
import { ChoiceChips } from "../parts/choice_chips";
import { Confirm } from "../parts/confirm";
import { Note } from "../parts/note";
import { Pager, usePages } from "../parts/pager";
import { Press } from "../parts/press";
import { Empty, Loading, Outcome, Shown } from "../parts/states";
import { TARGET_NAMES, targetsOn } from "../parts/target_names";
import { commonTexts, problemsTexts, stateTexts } from "../texts";
import { ProblemRow } from "./problem_row";

const STATES: readonly SceneState[] = ["ambiguous", "failed", "refused", "waiting", "undone", "skipped", "ignored"];
const PAGE_SIZE = 50;

export function Problems({ status }: { status: Status | null }) {
  const [view, setView] = useView(status);
  if (!view) return status ? null : <Loading />;
  return (
    <>
      <Filters status={status} view={view} setView={setView} />
      <SceneTable key={`${view.state} ${view.target ?? ""}`} view={view} known={status && countOf(status, view.state, view.target)} />
    </>
  );
}

interface View {
  state: SceneState;
  target: Target | null;
}

/**
 * What is shown stands in the address, so that a link can lead to it; else the first state that had scenes: the list that a
 * person works on is not exchanged under their hands when another state gets some.
 */
function useView(status: Status | null): [View | null, (view: View) => void] {
  const { search, pathname } = useLocation();
  const history = useHistory();
  const query = new URLSearchParams(search);
  const asked = STATES.find((state) => state === query.get("state"));
  const target = targetsOn(status).find((one) => one === query.get("target")) ?? null;
  const first = useRef<SceneState | undefined>(undefined);
  first.current ??= status ? STATES.find((one) => countOf(status, one, target) > 0) : undefined;
  const state = asked ?? first.current ?? (status ? "ambiguous" : null);
  const setView = (view: View) => {
    const next = new URLSearchParams({ state: view.state, ...(view.target ? { target: view.target } : {}) });
    history.replace(`${pathname}?${next.toString()}`);
  };
  return [state && { state, target }, setView];
}

function countOf(status: Status | null, state: SceneState, target: Target | null): number {
  const chosen = status?.targets.filter((one) => one.is_on && (target === null || one.target === target)) ?? [];
  return chosen.reduce((sum, one) => sum + one.scenes[state], 0);
}

function Filters({ status, view, setView }: { status: Status | null; view: View; setView: (view: View) => void }) {
  const on = targetsOn(status);
  const states = STATES.filter((state, index) => index < 4 || countOf(status, state, view.target) > 0 || state === view.state);
  return (
    <div className="s2p-filters">
      <ChoiceChips
        label={problemsTexts.stateLabel}
        chosen={view.state}
        choices={states.map((state) => ({ value: state, text: stateTexts[state], count: countOf(status, state, view.target) }))}
        onChoose={(state) => setView({ ...view, state })}
      />
      {on.length > 1 && (
        <ChoiceChips
          label={problemsTexts.targetLabel}
          chosen={view.target ?? "all"}
          choices={[{ value: "all", text: commonTexts.allTargets }, ...on.map((one) => ({ value: one, text: TARGET_NAMES[one] }))]}
          onChoose={(one) => setView({ ...view, target: one === "all" ? null : (one) })}
        />
      )}
    </div>
  );
}

/** `known` is how many the status counts: when it counts others than are listed, the list is asked for again. */
function SceneTable({ view, known }: { view: View; known: number | null }) {
  const pages = usePages(`${view.state} ${view.target ?? ""}`);
  const args = { state: view.state, target: view.target, limit: PAGE_SIZE, after: pages.after };
  const list = useAnswer(JSON.stringify(args), (signal) => ask<Scenes>("scenes", args, signal));
  const { again } = list;
  useRefresh(again);
  const listed = useRef<number | null>(null);
  listed.current = list.value?.total ?? null;
  const counted = useRef(known);
  useEffect(() => {
    const before = counted.current;
    counted.current = known;
    const areBothNew = before === null && listed.current === null;
    if (known !== null && known !== before && known !== listed.current && !areBothNew) again();
  }, [known, again]);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [said, setSaid] = useState<string | null>(null);
  const changed = (sentence: string) => {
    setSaid(sentence);
    setSelected(new Set());
    list.again();
    statusStore.refresh();
  };
  return (
    <>
    {said && <div className="s2p-said"><Note tone="good" role="status">{said}</Note></div>}
    <Shown answer={list}>
      {({ scenes, next, total }) =>
        scenes.length === 0 ? (
          <Empty>{problemsTexts.none}</Empty>
        ) : (
          <>
            <Selection view={view} rows={scenes} selected={selected} setSelected={setSelected} changed={changed} />
            <p className="text-muted">{commonTexts.ofTotal(scenes.length, total)}</p>
            <ul className="s2p-rows">
              {scenes.map((row) => (
                <ProblemRow
                  key={keyOf(row)}
                  row={row}
                  isSelected={selected.has(keyOf(row))}
                  onSelect={(isOn) => setSelected(toggled(selected, keyOf(row), isOn))}
                  changed={changed}
                />
              ))}
            </ul>
            <Pager pages={pages} next={next} />
          </>
        )
      }
    </Shown>
    </>
  );
}

interface SelectionProps {
  view: View;
  rows: SceneRow[];
  selected: ReadonlySet<string>;
  setSelected: (selected: ReadonlySet<string>) => void;
  changed: (sentence: string) => void;
}

function Selection({ view, rows, selected, setSelected, changed }: SelectionProps) {
  const act = useAct();
  const [isAsking, setIsAsking] = useState(false);
  const chosen = rows.filter((row) => selected.has(keyOf(row)));
  const perform = async (mode: string, extra: object = {}, all = false) => {
    setIsAsking(false);
    const said = await act.run(() => (all ? ask<Said>(mode, { all: true, target: view.target }) : forEachTarget(mode, chosen, extra)));
    if (said !== null) changed(said);
  };
  const retries = view.state === "failed" ? "retry" : "sync_scenes";
  return (
    <>
      <div className="card s2p-buttons s2p-selection">
        <label className="s2p-check">
          <input
            type="checkbox"
            checked={chosen.length === rows.length}
            onChange={(event) => setSelected(event.target.checked ? new Set(rows.map(keyOf)) : new Set())}
          />
          {commonTexts.selectPage}
        </label>
        {chosen.length > 0 && (
          <>
            <span>{commonTexts.selected(chosen.length)}</span>
            {view.state === "ignored" ? (
              <Press isBusy={act.isBusy} onPress={() => perform("ignore_scene", { ignore: false })}>
                {problemsTexts.stopIgnoring}
              </Press>
            ) : (
              <>
                <Press kind="primary" isBusy={act.isBusy} onPress={() => perform(retries)}>
                  {view.state === "undone" ? problemsTexts.syncAgain : problemsTexts.retry}
                </Press>
                <Press isBusy={act.isBusy} onPress={() => perform("ignore_scene", { ignore: true })}>
                  {problemsTexts.ignore}
                </Press>
              </>
            )}
          </>
        )}
        {view.state === "failed" && chosen.length === 0 && (
          <>
            <Press kind="primary" isBusy={act.isBusy} onPress={() => perform("retry", {}, true)}>
              {problemsTexts.retryAll}
            </Press>
            <Press isBusy={act.isBusy} onPress={() => setIsAsking(true)}>
              {problemsTexts.discardAll}
            </Press>
          </>
        )}
      </div>
      <Outcome act={act} onlyBad />
      {isAsking && (
        <Confirm
          title={problemsTexts.discardAll}
          confirm={problemsTexts.discardAll}
          onCancel={() => setIsAsking(false)}
          onConfirm={() => perform("discard", {}, true)}
        >
          {problemsTexts.discardSure}
        </Confirm>
      )}
    </>
  );
}

/** One call a target, each with its sentence; it worked if each of them did. */
async function forEachTarget(mode: string, rows: SceneRow[], extra: object): Promise<Said & { ok: boolean }> {
  const byTarget = new Map<Target, number[]>();
  for (const row of rows) byTarget.set(row.target, [...(byTarget.get(row.target) ?? []), row.scene_id]);
  const said: (Said & { ok?: boolean })[] = [];
  const key = mode === "retry" ? "scene_ids" : "ids";
  for (const [target, ids] of byTarget) said.push(await ask<Said>(mode, { target, [key]: ids, ...extra }));
  return { sentence: [...new Set(said.map((one) => one.sentence))].join(" "), ok: said.every((one) => one.ok !== false) };
}

function keyOf(row: SceneRow): string {
  return `${row.target} ${row.scene_id}`;
}

function toggled(selected: ReadonlySet<string>, key: string, isOn: boolean): ReadonlySet<string> {
  const next = new Set(selected);
  if (isOn) next.add(key);
  else next.delete(key);
  return next;
}
