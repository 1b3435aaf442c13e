/** Aborts this long after the given signal does, for those who must go on for a moment. */
export function delayedSignal(signal: AbortSignal, delayMs: number): AbortSignal {
  if (delayMs <= 0) return signal;
  const delayed = new AbortController();
  const start = () => setTimeout(() => delayed.abort(), delayMs);
  if (signal.aborted) start();
  else signal.addEventListener('abort', start, { once: true });
  return delayed.signal;
}
