/** The overview: all is well, or what needs a person and the button that mends it; then each server. */
import React from "react";
import { Link } from "react-router-dom";
import type { Need, Status } from "../api/answers";
import { useAct } from "../api/hooks";
import { saveSettings } from "../api/save_settings";
import { statusStore } from "../api/status_store";
import { Moment } from "../parts/moment";
import { Note, type Tone } from "../parts/note";
import { Press } from "../parts/press";
import { Outcome } from "../parts/states";
import { TARGETS, TARGET_NAMES, targetsOn, urgent } from "../parts/target_names";
import { ROUTE } from "../stash/plugin_api";
import { overviewTexts } from "../texts";
import { TargetCard } from "./target_card";
import { TaskPanel } from "./task_panel";

export function Overview({ status }: { status: Status }) {
  return (
    <>
      <Headline status={status} />
      <Needs id="s2p-needs" title={overviewTexts.needsYou} needs={urgent(status)} />
      <Needs id="s2p-look" title={overviewTexts.worthALook} needs={status.needs_you.filter((one) => one.kind === "waiting")} />
      <section aria-label={overviewTexts.servers} className="s2p-grid">
        {status.targets.filter((one) => one.is_on).map((target) => (
          <TargetCard key={target.target} target={target} />
        ))}
      </section>
      <Unconnected status={status} />
      <div className="s2p-grid">
        <TaskPanel />
        <Machine status={status} />
      </div>
    </>
  );
}

function Headline({ status }: { status: Status }) {
  const { worker } = status;
  return (
    <>
      <Note tone={urgent(status).length > 0 ? "plain" : "good"} role="status">
        <strong>{urgent(status).length > 0 ? status.headline : `${overviewTexts.allWell} ${status.headline}`}</strong>
      </Note>
      {/* An older plugin does not say whether it is enabled. */}
      {(status.is_enabled as boolean | undefined) === false && <Paused />}
      {worker.is_installing && <Note>{overviewTexts.installing}</Note>}
      {!worker.alive && !worker.is_installing && <Note tone="careful">{overviewTexts.workerStopped}</Note>}
      {worker.is_outdated && <Note>{overviewTexts.workerOutdated}</Note>}
    </>
  );
}

function Paused() {
  const act = useAct();
  const start = async () => {
    await act.run(async () => {
      const saved = await saveSettings({ enabled: true });
      return { ok: saved.ok, sentence: saved.ok ? overviewTexts.started : saved.sentence };
    });
    statusStore.refresh();
  };
  return (
    <>
      <Note
        tone="careful"
        actions={
          <Press kind="primary" isBusy={act.isBusy} onPress={start}>
            {overviewTexts.start}
          </Press>
        }
      >
        {overviewTexts.paused}
      </Note>
      <Outcome act={act} />
    </>
  );
}

const NEED_TONES: Record<Need["kind"], Tone> = {
  settings: "bad",
  access: "bad",
  failed: "bad",
  refused: "bad",
  worker: "bad",
  ambiguous: "careful",
  waiting: "plain",
  pictures: "careful",
};

function Needs({ id, title, needs }: { id: string; title: string; needs: Need[] }) {
  if (needs.length === 0) return null;
  return (
    <section className="s2p-needs" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <ul>
        {needs.map((need, index) => (
          <li key={`${need.kind} ${need.target ?? ""} ${index}`}>
            <Note tone={NEED_TONES[need.kind]} actions={<NeedLink need={need} />}>
              {need.sentence}
            </Note>
          </li>
        ))}
      </ul>
    </section>
  );
}

function NeedLink({ need }: { need: Need }) {
  if (need.view === "overview") return null;
  const query = new URLSearchParams();
  if (need.state) query.set("state", need.state);
  if (need.target) query.set("target", need.target);
  return (
    <Link className="btn btn-primary s2p-press" to={`${ROUTE}/${need.view}?${query.toString()}`}>
      {overviewTexts.view[need.view]}
    </Link>
  );
}

/** The servers that could be connected, too. */
function Unconnected({ status }: { status: Status }) {
  const on = targetsOn(status);
  const others = TARGETS.filter((one) => !on.includes(one));
  if (others.length === 0) return null;
  return (
    <p className="s2p-unconnected">
      {others.map((one) => (
        <Link key={one} className="s2p-link" to={`${ROUTE}/settings?group=${one}`}>
          {overviewTexts.connect(TARGET_NAMES[one])}
        </Link>
      ))}
    </p>
  );
}

function Machine({ status }: { status: Status }) {
  const { sweep, worker, stash } = status;
  return (
    <section className="card s2p-card">
      <h2>{overviewTexts.sweep}</h2>
      {sweep.is_running && (
        <>
          <p role="status">{overviewTexts.sweepRunning}</p>
          <progress max={1} value={sweep.progress ?? undefined} aria-label={overviewTexts.sweepRunning} />
        </>
      )}
      <dl className="s2p-facts">
        <dt>{overviewTexts.sweepLast}</dt>
        <dd>
          <Moment at={sweep.last_at} />
        </dd>
        {sweep.next_at && (
          <>
            <dt>{overviewTexts.sweepNext}</dt>
            <dd>
              <Moment at={sweep.next_at} />
            </dd>
          </>
        )}
        <dt>{overviewTexts.worker}</dt>
        <dd>
          {worker.alive ? (
            <>
              {overviewTexts.workerAlive(worker.version ?? "?")} <Moment at={worker.started_at} />
            </>
          ) : (
            (worker.obstacle ?? overviewTexts.workerStopped)
          )}
        </dd>
        {stash && (
          <>
            <dt>{overviewTexts.stash}</dt>
            <dd>
              {stash.url}, <Moment at={stash.seen_at} />
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}
