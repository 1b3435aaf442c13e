/** Waits. Rejects with the signal's reason when it aborts first. Tests give their own. */
export type Sleep = (delayMs: number, signal?: AbortSignal) => Promise<void>;

export const sleep: Sleep = (delayMs, signal) =>
  new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      },
      Math.min(delayMs, 2 ** 31 - 1),
    );
    signal?.addEventListener('abort', onAbort, { once: true });
  });
