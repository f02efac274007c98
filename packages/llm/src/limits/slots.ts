/** A number of places that callers take and give back; those who wait are served in order. */
export interface Slots {
  /** Takes a place at once, or returns null. */
  tryTake(): (() => void) | null;
  /** Takes a place as soon as there is one. Rejects with the signal's reason. */
  take(signal: AbortSignal): Promise<() => void>;
  readonly taken: number;
}

export function createSlots(limit: number): Slots {
  let taken = 0;
  const waiting: (() => void)[] = [];
  const give = (): (() => void) => {
    taken += 1;
    let given = false;
    return () => {
      if (given) return;
      given = true;
      taken -= 1;
      waiting.shift()?.();
    };
  };
  return {
    get taken() {
      return taken;
    },
    tryTake: () => (taken < limit ? give() : null),
    take(signal) {
      signal.throwIfAborted();
      if (taken < limit) return Promise.resolve(give());
      return new Promise((resolve, reject) => {
        const next = (): void => {
          signal.removeEventListener('abort', stop);
          resolve(give());
        };
        const stop = (): void => {
          waiting.splice(waiting.indexOf(next), 1);
          reject(signal.reason as Error);
        };
        waiting.push(next);
        signal.addEventListener('abort', stop, { once: true });
      });
    },
  };
}
