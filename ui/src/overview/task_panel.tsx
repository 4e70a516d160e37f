/** What a person can start now, and what the last tasks said. */
import React from "react";
import type { LastTasks } from "../api/answers";
import { useAct, useAnswer } from "../api/hooks";
import { ask, startTask } from "../api/operations";
import { useRefresh } from "../api/refresh";
import { statusStore } from "../api/status_store";
import { Moment } from "../parts/moment";
import { Pill } from "../parts/pill";
import { Press } from "../parts/press";
import { Outcome, Shown } from "../parts/states";
import { commonTexts, overviewTexts, taskTexts } from "../texts";

const OFFERED = ["all", "recent", "reconcile", "process_queue", "health_check"] as const;
const SHOWN = 5;

export function TaskPanel() {
  const act = useAct();
  const last = useAnswer("last_task", (signal) => ask<LastTasks>("last_task", {}, signal));
  useRefresh(last.again);
  const start = async (mode: (typeof OFFERED)[number]) => {
    await act.run(async () => {
      await startTask(mode, taskTexts[mode]?.name ?? mode);
      return commonTexts.started;
    });
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
        {({ tasks }) =>
          tasks.length === 0 ? (
            <p className="text-muted">{overviewTexts.noTasks}</p>
          ) : (
            <ul className="s2p-list">
              {tasks.slice(0, SHOWN).map((task) => (
                <li key={`${task.mode} ${task.began_at}`}>
                  <Pill tone={!task.ok ? "bad" : task.ended_at === null ? "plain" : "good"}>
                    {taskTexts[task.mode]?.name ?? task.mode}
                  </Pill>{" "}
                  <span className="text-muted">
                    <Moment at={task.began_at} />
                    {task.ended_at === null && ` · ${task.ok ? overviewTexts.taskRunning : overviewTexts.taskKilled}`}
                  </span>
                  {task.sentence && <div className="text-muted">{task.sentence}</div>}
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </section>
  );
}
