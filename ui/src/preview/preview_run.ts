/** A preview is a task: it waits in Stash's queue, runs, and leaves a result or the reason why there is none. */
import { useCallback, useEffect, useState } from "react";
import type { PreviewPage } from "../api/answers";
import { useAct, type Act, type Answer } from "../api/hooks";
import { startTask } from "../api/operations";
import { usePolling } from "../api/polling";
import { previewTexts, taskTexts } from "../texts";

const RUNNING_MILLISECONDS = 2000;
const WAITING_MILLISECONDS = 4000;
/** Longer than this it is not looked for by itself: it may have been taken out of Stash's queue. */
const PATIENCE_MILLISECONDS = 900_000;

export interface PreviewRun {
  /** Whether Stash took the task. */
  act: Act;
  /** `lost`: it did not begin for so long that nothing is asked any more. */
  state: "idle" | "waiting" | "running" | "lost";
  /** The run that was started here has ended, well or not. */
  hasEnded: boolean;
  /** Why the last run left no result. */
  failure: string | null;
  start: (limit?: number) => Promise<void>;
}

/** Follows the task until it has ended; `result` is asked again meanwhile. */
export function usePreviewRun(result: Answer<PreviewPage>): PreviewRun {
  const act = useAct();
  const [awaited, setAwaited] = useState<{ after: string | null; isLost: boolean } | null>(null);
  const last = result.value?.last_run ?? null;
  const lastBegan = last?.began_at ?? null;
  const isRunning = result.value?.is_running === true;
  const hasBegun = awaited !== null && lastBegan !== null && lastBegan !== awaited.after;
  const isWaiting = awaited !== null && !hasBegun && !isRunning;
  usePolling(isRunning || (isWaiting && !awaited.isLost), result, isRunning ? RUNNING_MILLISECONDS : WAITING_MILLISECONDS);
  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = window.setTimeout(() => setAwaited((one) => one && { ...one, isLost: true }), PATIENCE_MILLISECONDS);
    return () => window.clearTimeout(timer);
  }, [isWaiting]);
  const { run } = act;
  const { again } = result;
  const start = useCallback(
    async (limit?: number) => {
      const said = await run(async () => {
        await startTask("preview", taskTexts.preview?.name ?? "", { limit });
        return previewTexts.waiting;
      });
      if (said === null) return;
      setAwaited({ after: lastBegan, isLost: false });
      again();
    },
    [run, again, lastBegan],
  );
  return {
    act,
    state: isRunning ? "running" : !isWaiting ? "idle" : awaited.isLost ? "lost" : "waiting",
    hasEnded: hasBegun && !isRunning,
    failure: last && !last.ok && !isRunning ? (last.sentence ?? previewTexts.noReason) : null,
    start,
  };
}
