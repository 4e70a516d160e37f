/** A line in which one call is under way at a time: Stash has six connections a browser and starts a process for each call. */

export class Aborted extends Error {
  override name = "AbortError";
}

interface Waiting {
  start: () => void;
  signal?: AbortSignal;
}

export class Lane {
  private isBusy = false;
  private readonly waiting: Waiting[] = [];

  /** Runs `work` when its turn comes; who has left by then is not asked for, and rejects with an AbortError. */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const start = () => {
        if (signal?.aborted) {
          reject(new Aborted());
          this.next();
          return;
        }
        this.isBusy = true;
        work()
          .then(resolve, reject)
          .finally(() => {
            this.isBusy = false;
            this.next();
          });
      };
      this.waiting.push({ start, signal });
      if (!this.isBusy) this.next();
    });
  }

  private next(): void {
    if (!this.isBusy) this.waiting.shift()?.start();
  }
}
