import type { Clock } from './clock.ts';

/** How a call ended that had only so long. */
type Within<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'error'; readonly error: unknown }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'aborted' };

/**
 * Gives a call `timeoutMs`. Its signal aborts at the deadline or with the caller's signal, and the
 * answer does not wait for a call that ignores it: such a call ends unheard.
 */
export async function callWithin<T>(
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<Within<T>> {
  if (signal?.aborted) return { kind: 'aborted' };
  const controller = new AbortController();
  let end: (ending: Within<T>) => void = () => {};
  const cut = new Promise<Within<T>>((resolve) => {
    end = resolve;
  });
  const onAbort = () => {
    end({ kind: 'aborted' });
    controller.abort(signal?.reason);
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  const timer = clock.after(timeoutMs, () => {
    end({ kind: 'timeout' });
    controller.abort();
  });
  const called = (async (): Promise<Within<T>> => {
    try {
      return { kind: 'value', value: await call(controller.signal) };
    } catch (error) {
      return { kind: 'error', error };
    }
  })();
  try {
    return await Promise.race([cut, called]);
  } finally {
    timer.cancel();
    signal?.removeEventListener('abort', onAbort);
  }
}
