/** A person's wish to see everything anew: the status, and what the open part had asked for. */
import { useEffect } from "react";
import { statusStore } from "./status_store";

const wished = new Set<() => void>();

export function refreshAll(): void {
  statusStore.refresh();
  wished.forEach((again) => again());
}

/** Asks again whenever the person wishes for it. */
export function useRefresh(again: () => void): void {
  useEffect(() => {
    wished.add(again);
    return () => {
      wished.delete(again);
    };
  }, [again]);
}
