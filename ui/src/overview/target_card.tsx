/** One server at a glance. */
import React from "react";
import { Link } from "react-router-dom";
import type { SceneState, TargetStatus } from "../api/answers";
import { Moment } from "../parts/moment";
import { Note, type Tone } from "../parts/note";
import { Pill, STATE_TONES } from "../parts/pill";
import { ROUTE } from "../stash/plugin_api";
import { historyTexts, overviewTexts, stateTexts } from "../texts";
import { WorkChart } from "./work_chart";

const STATES: readonly SceneState[] = ["synced", "waiting", "ambiguous", "refused", "failed", "skipped", "undone", "ignored"];

export function TargetCard({ target }: { target: TargetStatus }) {
  const [tone, word] = standing(target);
  return (
    <article className="card s2p-card" aria-label={target.name}>
      <header className="s2p-card-head">
        <h2>{target.name}</h2>
        <Pill tone={tone}>{word}</Pill>
      </header>
      <p>{target.outage ?? target.sentence}</p>
      {target.pictures && <Note tone="careful">{target.pictures}</Note>}
      {target.recovery && <Note>{overviewTexts.recovering(target.recovery.rate)}</Note>}
      <StateBar target={target} />
      <WorkChart name={target.name} buckets={target.history} />
      <dl className="s2p-facts">
        <dt>{overviewTexts.queue}</dt>
        <dd>{queueSentence(target)}</dd>
        {target.coverage && (
          <>
            <dt>{overviewTexts.coverage}</dt>
            <dd>{overviewTexts.coverageValue(target.coverage.found, target.coverage.total, target.coverage.rules)}</dd>
          </>
        )}
        <dt>{overviewTexts.lastRun}</dt>
        <dd>
          {target.last_run ? (
            <Link className="s2p-link" to={`${ROUTE}/history?target=${target.target}`}>
              {historyTexts.kinds[target.last_run.kind] ?? target.last_run.kind}, <Moment at={target.last_run.began_at} />
            </Link>
          ) : (
            overviewTexts.noRun
          )}
        </dd>
      </dl>
    </article>
  );
}

function standing(target: TargetStatus): [Tone, string] {
  if (target.outage || target.circuit.state === "open") return ["bad", overviewTexts.down];
  if (target.circuit.state === "half_open" || target.recovery) return ["careful", overviewTexts.careful];
  return ["good", overviewTexts.reachable];
}

function queueSentence(target: TargetStatus): string {
  const due = target.queue.due + target.queue.claimed;
  if (due + target.queue.later === 0) return overviewTexts.empty;
  const parts = [overviewTexts.queued(due, target.queue.later)];
  if (due && target.speed_per_minute) parts.push(overviewTexts.speed(target.speed_per_minute));
  if (due && target.seconds_left) parts.push(overviewTexts.left(overviewTexts.seconds(target.seconds_left)));
  return parts.join(" · ");
}

/** How many scenes are in which state: a bar for the eye, links for the hand. */
function StateBar({ target }: { target: TargetStatus }) {
  const known = STATES.filter((state) => target.scenes[state] > 0);
  const total = known.reduce((sum, state) => sum + target.scenes[state], 0);
  if (total === 0) return <p className="text-muted">{overviewTexts.noScenes}</p>;
  return (
    <>
      <div className="s2p-bar" aria-hidden="true">
        {known.map((state) => (
          <span key={state} className={`s2p-${STATE_TONES[state]}`} style={{ flexGrow: target.scenes[state] / total }} />
        ))}
      </div>
      <ul className="s2p-states" aria-label={overviewTexts.sceneStates}>
        {known.map((state) => (
          <li key={state}>
            <Pill tone={STATE_TONES[state]}>
              {state === "synced" ? (
                `${target.scenes[state].toLocaleString("en")} ${stateTexts[state].toLowerCase()}`
              ) : (
                <Link className="s2p-link" to={`${ROUTE}/problems?state=${state}&target=${target.target}`}>
                  {target.scenes[state].toLocaleString("en")} {stateTexts[state].toLowerCase()}
                </Link>
              )}
            </Pill>
          </li>
        ))}
      </ul>
    </>
  );
}
