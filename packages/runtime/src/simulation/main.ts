import { parseArgs } from 'node:util';
import { simulateLeaders } from '../leader-election-simulation.ts';
import { simulateInformer } from './informer-simulation.ts';

const help = `Runs seeded simulations of informers and of leader election against servers that fail.

  npm run simulate                            20,000 seeds
  npm run simulate -- --seeds N --start S     N seeds, from S on
  npm run simulate -- --only informer         one of: informer, leaders

A seed that fails is printed with the command that repeats it. Exits with 1 if any did.
`;

const simulations: Record<
  string,
  (seed: number) => Promise<{ readonly faults: number; readonly violations: readonly string[] }>
> = { informer: simulateInformer, leaders: simulateLeaders };

/** Of the failures, the first are enough to go on with. */
const mostFailures = 10;

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
  let failures = 0;
  for (const name of chosen) failures += await simulate(name, start, seeds);
  return failures === 0 ? 0 : 1;
}

async function simulate(name: string, start: number, seeds: number): Promise<number> {
  const run = simulations[name]!;
  const began = performance.now();
  let faults = 0;
  let failures = 0;
  for (let seed = start; seed < start + seeds && failures < mostFailures; seed++) {
    const result = await run(seed);
    faults += result.faults;
    if (result.violations.length === 0) continue;
    failures++;
    process.stderr.write(
      `seed ${seed} of ${name} failed:\n${result.violations.map((line) => `  ${line}\n`).join('')}` +
        `  repeat it with: npm run simulate -- --only ${name} --start ${seed} --seeds 1\n`,
    );
  }
  const seconds = (performance.now() - began) / 1_000;
  process.stdout.write(
    `${name}: ${seeds} seeds from ${start}, ${faults} faults, ${failures} failures, ` +
      `${seconds.toFixed(1)} s (${Math.round(seeds / seconds)} a second)\n`,
  );
  return failures;
}
