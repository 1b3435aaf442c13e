import { expect, test } from 'vitest';
import { leaseMs } from './replica.ts';
import { ReplicaRun } from './replica-run.ts';

// Two replicas of the GitOps controllers and two of the ingress controller, as processes of their own,
// on an API and a gateway with a database. While commits and direct changes go on, one of them is
// killed, told to end, or stands still for longer than its Lease: at a write that the seed decides,
// before it is passed on or before its answer is seen, or while it only waits.
// `WAYGATE_REPLICA_KILLS=100` does it a hundred times, `WAYGATE_REPLICA_SEED` looks elsewhere, and
// `WAYGATE_REPLICA_WAY=SIGSTOP` chooses one way for all.

const kills = Number(process.env.WAYGATE_REPLICA_KILLS ?? 4);
const seed = Number(process.env.WAYGATE_REPLICA_SEED ?? 40);
/** What a busy machine may take to start a process and to do the work, over what the Lease takes. */
const slackMs = 15_000;
/** What a busy machine may take to see that a Lease has ended, and to write that it is another's. */
const lookMs = 5_000;

test(`${kills} ends of one of two, seed ${seed}`, {
  timeout: 60_000 + kills * 20_000,
}, async () => {
  await using run = await ReplicaRun.start(seed);
  const stories: string[] = [];
  const late: number[] = [];
  try {
    for (let count = 0; count < kills; count += 1) {
      const { story, lateMs } = await run.round();
      stories.push(`${story} (${Math.round(lateMs)} ms)`);
      late.push(lateMs);
      // Who does not lead writes nothing, and nothing that is there is written again.
      expect(run.ledger.faults, stories.join('\n')).toEqual([]);
      expect(run.history.doubled, stories.join('\n')).toEqual([]);
    }
  } catch (error) {
    throw new Error(`${stories.join('\n')}\n${run.output()}`, { cause: error });
  }
  // No older revision came after a newer one, and the last one came.
  const { counted } = run.history;
  expect(counted).toEqual([...counted].sort((left, right) => left - right));
  expect(new Set(counted).size).toBe(counted.length);
  expect(counted.at(-1)).toBe(run.wanted.count);
  // Nothing was deleted that should not have been, to be made again.
  expect(run.history.lives.get('ConfigMap/counter')?.size).toBe(1);
  for (const [name, lives] of run.history.lives)
    expect(lives.size, name).toBeLessThanOrEqual(run.wanted.livesOf(name));
  expect(Math.max(...late), stories.join('\n')).toBeLessThan(leaseMs + slackMs);
  // Who ends without a word is followed by another when its Lease ends, and not at some later look.
  const vacant = Math.max(0, ...run.ledger.vacancies);
  expect(vacant).toBeLessThan(leaseMs + lookMs);
  // Who takes over has the artifacts, and fetches only what nobody has fetched to the end.
  const { asked, most } = run.fetches;
  expect(asked).toBeLessThanOrEqual(most);
  if (process.env.WAYGATE_REPLICA_KILLS === undefined) return;
  report(late, run.ledger.count, stories);
  process.stdout.write(
    `${run.wanted.count} commits were fetched ${asked} times, with ${most - run.wanted.count} take-overs\n` +
      `a Lease was nobody's for ${Math.round(vacant)} ms at most, in ${run.ledger.vacancies.length} take-overs\n`,
  );
});

function report(late: readonly number[], writes: number, stories: readonly string[]): void {
  const sorted = [...late].sort((left, right) => left - right);
  const at = (part: number) => Math.round(sorted[Math.floor(part * (sorted.length - 1))] ?? 0);
  process.stdout.write(
    `${stories.join('\n')}\n${writes} writes; late by p50 ${at(0.5)}, p90 ${at(0.9)}, at most ${at(1)} ms\n`,
  );
}
