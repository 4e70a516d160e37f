/** The one place that asks for the status: for page, tab and badge together, only while somebody looks. */
import { urgent } from "../parts/target_names";
import { remember } from "../stash/memory";
import type { Status } from "./answers";
import { AskError, isAbort, readError } from "./ask_error";
import { ask } from "./operations";

const MOVING_SECONDS = 5;
const IDLE_SECONDS = 45;
/** How often a worker that is about to start is looked for quickly: one that cannot start is not asked for without end. */
const STARTING_LOOKS = 12;
const BACK_OFF_SECONDS = [5, 10, 20, 40, 60];

export interface Snapshot {
  status: Status | null;
  problem: AskError | null;
}

type Listener = (snapshot: Snapshot) => void;

class StatusStore {
  private snapshot: Snapshot = { status: null, problem: null };
  private readonly listeners = new Set<Listener>();
  private timer: number | undefined;
  private flight: AbortController | null = null;
  private failures = 0;
  private looks = 0;

  get(): Snapshot {
    return this.snapshot;
  }

  /** Asks at once, and then again and again until the last one has left. */
  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    if (this.listeners.size === 1) {
      document.addEventListener("visibilitychange", this.onVisibility);
      this.refresh();
    }
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) this.stop();
    };
  }

  /** Ask now instead of at the next turn. */
  refresh = (): void => {
    if (this.listeners.size === 0 || document.hidden) return;
    window.clearTimeout(this.timer);
    this.flight?.abort();
    const flight = new AbortController();
    this.flight = flight;
    ask<Status>("status", {}, flight.signal).then(
      (status) => this.take(flight, { status, problem: null }),
      (error: unknown) => {
        if (!isAbort(error)) this.take(flight, { status: this.snapshot.status, problem: readError(error) });
      },
    );
  };

  private take(flight: AbortController, snapshot: Snapshot): void {
    if (flight !== this.flight) return;
    this.flight = null;
    this.failures = snapshot.problem ? this.failures + 1 : 0;
    this.looks = snapshot.status && isStarting(snapshot.status) ? this.looks + 1 : 0;
    this.snapshot = snapshot;
    if (snapshot.status && !snapshot.problem) learn(snapshot.status);
    this.listeners.forEach((listener) => listener(snapshot));
    this.plan();
  }

  private plan(): void {
    const { status, problem } = this.snapshot;
    if (this.listeners.size === 0 || (problem && !problem.mayPass)) return;
    const seconds = problem
      ? BACK_OFF_SECONDS[Math.min(this.failures, BACK_OFF_SECONDS.length) - 1]
      : status && (isMoving(status) || (isStarting(status) && this.looks <= STARTING_LOOKS))
        ? MOVING_SECONDS
        : IDLE_SECONDS;
    this.timer = window.setTimeout(this.refresh, (seconds ?? IDLE_SECONDS) * 1000);
  }

  private readonly onVisibility = (): void => {
    window.clearTimeout(this.timer);
    if (!document.hidden) this.refresh();
  };

  private stop(): void {
    document.removeEventListener("visibilitychange", this.onVisibility);
    window.clearTimeout(this.timer);
    this.flight?.abort();
    this.flight = null;
  }
}

function isMoving(status: Status): boolean {
  const { due, claimed } = status.queue;
  return due + claimed > 0 || status.sweep.is_running || status.worker.is_installing || status.targets.some((one) => one.outage);
}

/** A look at the status starts a worker, which then says what is set up and what it finds. */
function isStarting(status: Status): boolean {
  return !status.worker.alive || !status.is_set_up;
}

function learn(status: Status): void {
  remember({ needs: urgent(status).length, sentence: status.headline, at: new Date().toISOString() });
}

export const statusStore = new StatusStore();
