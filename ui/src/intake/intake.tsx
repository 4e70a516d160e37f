/** Files of the watched folder: where each stands, and what a person can do about it. */
import React, { useState } from "react";
import type { Done, Intake, IntakeRow } from "../api/answers";
import { useAct, useAnswer } from "../api/hooks";
import { ask } from "../api/operations";
import { usePolling } from "../api/polling";
import { useRefresh } from "../api/refresh";
import { Confirm } from "../parts/confirm";
import { Moment } from "../parts/moment";
import { Note, type Tone } from "../parts/note";
import { Pill } from "../parts/pill";
import { Press } from "../parts/press";
import { Empty, Outcome, Shown } from "../parts/states";
import { intakeTexts } from "../texts";

const TONES: Record<string, Tone> = { completed: "good", error: "bad" };
const MOVING = ["pending", "processing", "moved", "emby_pending"];
/** Steps before a file is in its place: until then there is nothing to put back, and its code can be said. */
const BEFORE_PLACED = ["new", "named", "found", "planned"];
const POLL_MILLISECONDS = 5000;

export function IntakePart() {
  const list = useAnswer("intake", (signal) => ask<Intake>("intake", {}, signal));
  useRefresh(list.again);
  usePolling(MOVING.some((status) => (list.value?.counts[status] ?? 0) > 0), list, POLL_MILLISECONDS);
  const [said, setSaid] = useState<string | null>(null);
  const changed = (sentence: string) => {
    setSaid(sentence);
    list.again();
  };
  return (
    <>
      {said && (
        <Note tone="good" role="status">
          {said}
        </Note>
      )}
      <Shown answer={list}>
        {(value) => (value.is_on ? <Files list={value} changed={changed} /> : <Empty>{intakeTexts.off}</Empty>)}
      </Shown>
    </>
  );
}

function Files({ list, changed }: { list: Intake; changed: (sentence: string) => void }) {
  return (
    <>
      <p>{list.sentence}</p>
      <ul className="s2p-states">
        {Object.entries(list.counts)
          .filter(([, count]) => count > 0)
          .map(([status, count]) => (
            <li key={status}>
              <Pill tone={TONES[status] ?? "plain"}>
                {count.toLocaleString("en")} {statusName(status).toLowerCase()}
              </Pill>
            </li>
          ))}
      </ul>
      {list.rows.length === 0 && <Empty>{intakeTexts.none}</Empty>}
      <ul className="s2p-rows">
        {list.rows.map((row) => (
          <FileRow key={row.id} row={row} changed={changed} />
        ))}
      </ul>
    </>
  );
}

function FileRow({ row, changed }: { row: IntakeRow; changed: (sentence: string) => void }) {
  const act = useAct();
  const [code, setCode] = useState(row.code ?? "");
  const [isAsking, setIsAsking] = useState(false);
  const isHere = BEFORE_PLACED.includes(row.step);
  const perform = async (mode: string, args: object = {}) => {
    setIsAsking(false);
    const said = await act.run(() => ask<Done>(mode, { id: row.id, ...args }));
    if (said !== null) changed(said);
  };
  return (
    <li className="card s2p-row">
      <div className="s2p-row-head">
        <div className="s2p-row-title">
          <strong className="s2p-path">{row.name}</strong>
          <span className="s2p-row-facts text-muted">
            {row.code ?? intakeTexts.noCode} · <Moment at={row.at} />
          </span>
        </div>
        <Pill tone={TONES[row.status] ?? "plain"}>{statusName(row.status)}</Pill>
      </div>
      <p className="s2p-sentence">{row.sentence}</p>
      <div className="s2p-buttons">
        {row.status === "error" && (
          <Press kind="primary" isBusy={act.isBusy} onPress={() => perform("intake_retry")}>
            {intakeTexts.retry}
          </Press>
        )}
        {isHere && row.status !== "processing" && (
          <form
            className="s2p-search"
            onSubmit={(event) => {
              event.preventDefault();
              void perform("intake_set_code", { code: code.trim() });
            }}
          >
            <input
              className="form-control text-input"
              aria-label={`${intakeTexts.code}: ${row.name}`}
              placeholder={intakeTexts.code}
              value={code}
              onChange={(event) => setCode(event.target.value)}
            />
            <button type="submit" className="btn btn-secondary s2p-press" disabled={act.isBusy || !code.trim()}>
              {intakeTexts.setCode}
            </button>
          </form>
        )}
        {!isHere && (
          <Press isBusy={act.isBusy} onPress={() => setIsAsking(true)}>
            {intakeTexts.undo}
          </Press>
        )}
      </div>
      <Outcome act={act} onlyBad />
      {isAsking && (
        <Confirm title={intakeTexts.undo} confirm={intakeTexts.undo} onCancel={() => setIsAsking(false)} onConfirm={() => perform("intake_undo")}>
          {intakeTexts.undoSure(row.name)}
        </Confirm>
      )}
    </li>
  );
}

function statusName(status: string): string {
  return intakeTexts.statuses[status] ?? status.replace(/_/g, " ");
}
