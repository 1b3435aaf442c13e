import type { Benchmark, Row } from '../benchmark.ts';
import { type Recovery, RecoveryStage } from '../recovery/stage.ts';

const goalMs = 3_000;

const faults = ['refused', 'silent', 'unavailable'] as const;

/** Outages of the same length run beside each other; nobody recovers while another is measured. */
const apartMs = 4_000;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * What happens when the API was away: from its first answer to a change that was made meanwhile being
 * live. `WAYGATE_RECOVERY_SECONDS=300` chooses how long outages take.
 */
export const benchmark: Benchmark = {
  name: 'recovery',
  title: 'From "the API answers" to "the change is live"',
  async run({ quick, log }) {
    const chosen = process.env.WAYGATE_RECOVERY_SECONDS?.split(',').map(Number);
    const outages = chosen ?? (quick ? [2] : [5, 30, 60]);
    const rows: Row[] = [];
    const stages: RecoveryStage[] = [];
    try {
      for (const _ of faults) stages.push(await RecoveryStage.start());
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
      const [stage] = stages as [RecoveryStage];
      note('nothing broken', await stage.change(() => undefined));
      for (const seconds of outages) {
        const under = async (fault: (typeof faults)[number], index: number) => {
          const stage = stages[index] as RecoveryStage;
          const { proxy } = stage;
          await sleep(index * apartMs);
          await proxy.break(fault);
          await sleep(seconds * 1000);
          return stage.change(() => proxy.mend());
        };
        const recovered = await Promise.all(faults.map(under));
        for (const [index, fault] of faults.entries())
          note(`${fault}, seconds`, recovered[index] as Recovery, seconds);
      }
      const { proxy } = stage;
      note('all connections cut', await stage.change(() => proxy.cut()));
      // A list that is hardly old is not asked for again at once.
      if (!quick) await sleep(11_000);
      note('all versions expired', await stage.change(() => proxy.expire()));
      if (!quick) await sleep(11_000);
      await proxy.break('slow');
      note('all cut and expired, answers 0.25 s late', await stage.change(() => proxy.cut()));
      await proxy.mend();
    } finally {
      for (const stage of stages) await stage[Symbol.asyncDispose]();
    }
    return rows;
  },
};
