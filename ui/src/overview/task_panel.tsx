/** What a person can start now, and what the last tasks said. */
import React, { useEffect, useState } from "react";
import type { LastTasks, TaskRow } from "../api/answers";
import { useAct, useAnswer } from "../api/hooks";
import { ask, startTask } from "../api/operations";
import { usePolling } from "../api/polling";
import { useRefresh } from "../api/refresh";
import { statusStore } from "../api/status_store";
import { Moment } from "../parts/moment";
import { Pill } from "../parts/pill";
import { Press } from "../parts/press";
import { Outcome, Shown } from "../parts/states";
import { commonTexts, overviewTexts, taskTexts } from "../texts";

const OFFERED = ["all", "recent", "reconcile", "process_queue", "health_check"] as const;
const SHOWN = 5;
const POLL_MILLISECONDS = 5000;
/** A task that has not begun by then may have been taken out of Stash's queue. */
const PATIENCE_MILLISECONDS = 900_000;

/** A task that was started here, and when it had begun before. */
interface Awaited {
  mode: string;
  after: string | null;
}

export function TaskPanel() {
  const act = useAct();
  const last = useAnswer("last_task", (signal) => ask<LastTasks>("last_task", {}, signal));
  useRefresh(last.again);
  const [awaited, setAwaited] = useState<Awaited[]>([]);
  const tasks = last.value?.tasks ?? [];
  const isWaiting = awaited.some((one) => beganAt(tasks, one.mode) === one.after);
  usePolling(isWaiting || tasks.some(isRunning), last, POLL_MILLISECONDS);
  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = window.setTimeout(() => setAwaited([]), PATIENCE_MILLISECONDS);
    return () => window.clearTimeout(timer);
  }, [isWaiting]);
  const start = async (mode: (typeof OFFERED)[number]) => {
    const said = await act.run(async () => {
      await startTask(mode, taskTexts[mode]?.name ?? mode);
      return commonTexts.started;
    });
    if (said !== null) setAwaited((before) => [...before.filter((one) => one.mode !== mode), { mode, after: beganAt(tasks, mode) }]);
    last.again();
    statusStore.refresh();
  };
  return (
    <section className="card s2p-card">
      <h2>{overviewTexts.tasks}</h2>
      <div className="s2p-buttons">
        {OFFERED.map((mode) => (
          <span key={mode} title={taskTexts[mode]?.about}>
            <Press isBusy={act.isBusy} onPress={() => start(mode)}>
              {taskTexts[mode]?.name}
            </Press>
          </span>
        ))}
      </div>
      <Outcome act={act} />
      <h3>{overviewTexts.lastTasks}</h3>
      <Shown answer={last}>
        {() =>
          tasks.length === 0 ? (
            <p className="text-muted">{overviewTexts.noTasks}</p>
          ) : (
            <ul className="s2p-list">
              {tasks.slice(0, SHOWN).map((task) => (
                <TaskLine key={`${task.mode} ${task.began_at}`} task={task} />
              ))}
            </ul>
          )
        }
      </Shown>
    </section>
  );
}

function TaskLine({ task }: { task: TaskRow }) {
  return (
    <li>
      <Pill tone={!task.ok ? "bad" : task.ended_at === null ? "plain" : "good"}>{taskTexts[task.mode]?.name ?? task.mode}</Pill>{" "}
      <span className="text-muted">
        <Moment at={task.began_at} />
        {task.ended_at === null && ` · ${task.ok ? overviewTexts.taskRunning : overviewTexts.taskKilled}`}
      </span>
      {task.sentence && <div className="text-muted">{task.sentence}</div>}
    </li>
  );
}

function isRunning(task: TaskRow): boolean {
  return task.ok && task.ended_at === null;
}

function beganAt(tasks: readonly TaskRow[], mode: string): string | null {
  return tasks.find((one) => one.mode === mode)?.began_at ?? null;
}
