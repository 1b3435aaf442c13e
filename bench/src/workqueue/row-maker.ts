import type { Row } from '../benchmark.ts';
import { undisturbedMs } from '../main-thread.ts';

const rounds = 5;

/** The middle of several rounds, each on data structures of its own. */
export function rowMaker(log: (line: string) => void) {
  return async (
    name: string,
    n: number,
    peer: number | undefined,
    measure: () => Promise<number>,
  ): Promise<Row> => {
    const rates: number[] = [];
    for (let round = 0; round < rounds; round++) rates.push(n / (await measure()) / 1_000);
    const ours = rates.sort((one, other) => one - other)[Math.floor(rounds / 2)]!;
    log(`${name}: ${ours.toFixed(2)} M/s`);
    const row = { name, unit: 'M/s', ours, better: 'higher' } as const;
    if (peer === undefined) return row;
    const goal = { text: 'ahead of client-go', isMet: ours > peer };
    return { ...row, peers: { 'client-go 0.36': peer }, goal };
  };
}

/**
 * Without the time in which other programs had the processors, and without collecting what the round
 * before left: client-go's figures have neither, as Go collects before each benchmark.
 */
export function timed(work: () => unknown): number {
  globalThis.gc?.();
  const started = undisturbedMs();
  work();
  return undisturbedMs() - started;
}

export async function timedAsync(work: () => Promise<void>): Promise<number> {
  globalThis.gc?.();
  const started = undisturbedMs();
  await work();
  return undisturbedMs() - started;
}
