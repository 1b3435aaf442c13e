import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { ProgressLine } from './progress-line.ts';
import {
  runSeeds,
  type SeedOutcome,
  type SeedRange,
  simulations,
  type WorkerMessage,
} from './seed-runner.ts';

const help = `Runs seeded simulations of informers and of leader election against servers that fail.

  npm run simulate                            20,000 seeds
  npm run simulate -- --seeds N --start S     N seeds, from S on; a million take an hour or two
  npm run simulate -- --only informer         one of: informer, leaders

Many seeds are run 20,000 at a time, on all cores and in threads that are made anew each time. A line
after each says where to go on after an interruption. Several machines share a run by their --start.
A seed that fails is printed with the command that repeats it. Exits with 1 if any did.
`;

/** Of the failures, the first are enough to go on with. */
const mostFailures = 10;
/** Seeds that are run before the next line of progress. */
const seedsAtATime = 20_000;
/** Few seeds run in this thread, where a debugger and a stack trace show more. */
const fewestToShare = 200;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '20000' },
      start: { type: 'string', default: '1' },
      only: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const [seeds, start] = [Number(values.seeds), Number(values.start)];
  const chosen = values.only === undefined ? Object.keys(simulations) : [values.only];
  const isUsable = Number.isSafeInteger(seeds) && seeds > 0 && Number.isSafeInteger(start);
  if (values.help || !isUsable || chosen.some((name) => !Object.hasOwn(simulations, name))) {
    process.stderr.write(help);
    return values.help ? 0 : 64;
  }
  const end = start + seeds;
  for (let first = start; first < end; first += seedsAtATime) {
    const count = Math.min(seedsAtATime, end - first);
    let failures = 0;
    for (const name of chosen) failures += await simulate(name, first, count);
    if (failures > 0) return 1;
    const next = first + count;
    if (next < end)
      process.stdout.write(
        `${next - start} of ${seeds} done; the rest: --start ${next} --seeds ${end - next}\n`,
      );
  }
  return 0;
}

async function simulate(name: string, start: number, seeds: number): Promise<number> {
  const began = performance.now();
  const shares = seeds < fewestToShare ? 1 : availableParallelism();
  const progress = new ProgressLine(name, seeds);
  const onProgress = (more: number) => progress.add(more);
  const outcomes = await Promise.all(
    Array.from({ length: shares }, (_, share) => {
      const range = { name, first: start + share, end: start + seeds, stride: shares };
      return shares === 1 ? runSeeds(range, mostFailures) : runInThread(range, onProgress);
    }),
  );
  progress.clear();
  const failures = outcomes
    .flatMap((outcome) => outcome.failures)
    .sort((one, other) => one.seed - other.seed)
    .slice(0, mostFailures);
  for (const { seed, violations } of failures)
    process.stderr.write(
      `seed ${seed} of ${name} failed:\n${violations.map((line) => `  ${line}\n`).join('')}` +
        `  repeat it with: npm run simulate -- --only ${name} --start ${seed} --seeds 1\n`,
    );
  const faults = outcomes.reduce((sum, outcome) => sum + outcome.faults, 0);
  const seconds = (performance.now() - began) / 1_000;
  process.stdout.write(
    `${name}: ${seeds} seeds from ${start}, ${faults} faults, ${failures.length} failures, ` +
      `${seconds.toFixed(1)} s (${Math.round(seeds / seconds)} a second)\n`,
  );
  return failures.length;
}

function runInThread(range: SeedRange, onProgress: (seeds: number) => void): Promise<SeedOutcome> {
  const worker = new Worker(new URL('./seed-worker.js', import.meta.url), {
    workerData: { range, mostFailures },
  });
  return new Promise((resolve, reject) => {
    worker.on('message', (message: WorkerMessage) => {
      if ('outcome' in message) resolve(message.outcome);
      else onProgress(message.seeds);
    });
    worker.once('error', reject);
  });
}
