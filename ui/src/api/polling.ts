/** Asking again by itself: a while after each answer came, so that a slow one is waited for and never cut off. */
import { useEffect } from "react";
import type { Answer } from "./hooks";

/** While `isOn` and the tab is looked at. A problem that only a person can mend ends it. */
export function usePolling(isOn: boolean, answer: Answer<unknown>, milliseconds: number): void {
  const { again, isAsking, problem } = answer;
  const isWaiting = isOn && !isAsking && (problem === null || problem.mayPass);
  useEffect(() => {
    if (!isWaiting) return undefined;
    const look = () => {
      if (!document.hidden) again();
    };
    const timer = window.setTimeout(() => {
      document.addEventListener("visibilitychange", look);
      look();
    }, milliseconds);
    return () => {
      window.clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [isWaiting, again, milliseconds]);
}
