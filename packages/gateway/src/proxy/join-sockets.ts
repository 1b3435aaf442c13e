import type { Socket } from 'node:net';

/** What one side has left to take when the other is gone has to be taken within this. */
const flushMs = 5_000;

/**
 * Two sockets as one: each side's end is passed on, and when one is gone the other gets what is left for
 * it and goes too. Silence on both sides ends them.
 */
export function joinSockets(a: Socket, b: Socket, idleMs: number): void {
  let activeAt = performance.now();
  const active = () => {
    activeAt = performance.now();
  };
  const onIdle = (): void => {
    const leftMs = idleMs - (performance.now() - activeAt);
    if (leftMs > 1) {
      timer = setTimeout(onIdle, leftMs).unref();
      return;
    }
    a.destroy();
    b.destroy();
  };
  let timer = setTimeout(onIdle, idleMs).unref();
  for (const [side, other] of [
    [a, b],
    [b, a],
  ] as const) {
    side.setTimeout(0);
    side.on('data', active);
    side.on('drain', active);
    side.on('error', () => side.destroy());
    side.once('close', () => {
      clearTimeout(timer);
      timer = setTimeout(() => other.destroy(), flushMs).unref();
      other.resume();
      other.destroySoon();
    });
    side.pipe(other);
  }
}
