import type { Benchmark, Row } from '../benchmark.ts';
import { type Recovery, RecoveryStage } from '../recovery/stage.ts';

const goalMs = 3_000;

/**
 * What happens when the API was away: from its first answer to a change that was made meanwhile being
 * live. `WAYGATE_RECOVERY_LONG=1` adds outages of 300 s.
 */
export const benchmark: Benchmark = {
  name: 'recovery',
  title: 'From "the API answers" to "the change is live"',
  async run({ quick, log }) {
    const isLong = process.env.WAYGATE_RECOVERY_LONG !== undefined;
    const outages = quick ? [2] : [5, 30, 60, ...(isLong ? [300] : [])];
    const rows: Row[] = [];
    const stage = await RecoveryStage.start();
    try {
      const { proxy } = stage;
      const note = (name: string, { ingressMs, commitMs }: Recovery, n?: number) => {
        log(
          `${name} ${n ?? ''}: Ingress ${Math.round(ingressMs)} ms, commit ${Math.round(commitMs)} ms`,
        );
        for (const [what, ours] of [
          ['Ingress', ingressMs],
          ['commit', commitMs],
        ] as const)
          rows.push({
            name: `${name}, ${what}`,
            ...(n === undefined ? {} : { n }),
            unit: 'ms',
            ours,
            goal: { text: 'under 3 s', isMet: ours < goalMs },
          });
      };
      note('nothing broken', await stage.change(() => undefined));
      for (const seconds of outages) {
        for (const fault of ['refused', 'silent', 'unavailable'] as const) {
          await proxy.break(fault);
          await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
          note(`${fault}, seconds`, await stage.change(() => proxy.mend()), seconds);
        }
      }
      note('all connections cut', await stage.change(() => proxy.cut()));
      note('all versions expired', await stage.change(() => proxy.expire()));
      await proxy.break('slow');
      note('all cut and expired, answers 0.25 s late', await stage.change(() => proxy.cut()));
      await proxy.mend();
    } finally {
      await stage[Symbol.asyncDispose]();
    }
    return rows;
  },
};
