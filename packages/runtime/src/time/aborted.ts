/**
 * Resolves when the signal aborts.
 *
 * ```ts
 * const stop = new AbortController();
 * const stopped = aborted(stop.signal);
 * stop.abort();
 * await stopped;
 * ```
 */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
