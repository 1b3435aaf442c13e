// `npm run mutants -- --room ROOM --count N --seed S`: does anybody notice? Changes one small thing in
// a source of the room at a time and runs the room's own tests that reach it (found out beforehand, with
// a probe at each mutant). A mutant that no test notices shows code that nothing holds. Sources are not
// touched: the change is made as they are loaded.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { mutationsOf, withProbes } from './mutation.mjs';
import { root } from './setup.mjs';

const { values } = parseArgs({
  options: {
    room: { type: 'string' },
    count: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    /** Only files whose path has this in it. */
    only: { type: 'string', default: '' },
    /** Fails when fewer percent than this are killed. */
    least: { type: 'string', default: '0' },
  },
});
if (values.room === undefined) {
  console.error(
    'usage: npm run mutants -- --room ROOM [--count N] [--seed S] [--only PATH] [--least PERCENT]',
  );
  process.exit(64);
}
const room = join(root, 'packages', values.room);
const work = mkdtempSync(join(tmpdir(), 'waygate-mutants-'));
const children = new Set();
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    for (const child of children) stop(child);
    rmSync(work, { recursive: true, force: true });
    process.exit(130);
  });

try {
  process.exitCode = await main();
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function main() {
  const sources = sourcesOf(room).filter((path) => path.includes(values.only));
  const all = sources.flatMap((path) =>
    mutationsOf(path, readFileSync(path, 'utf8')).map((mutation) => ({ path, ...mutation })),
  );
  const chosen = sample(all, Number(values.count), Number(values.seed)).map((mutant, number) => ({
    ...mutant,
    number,
  }));
  console.log(`${chosen.length} of ${all.length} mutants of ${values.room}, seed ${values.seed}`);
  const reaches = await testsThatReach(chosen);
  if (reaches === undefined) return 1;
  let killed = 0;
  for (const mutant of chosen) {
    const outcome = await outcomeOf(mutant, reaches(mutant));
    if (outcome === 'killed' || outcome === 'timed out') killed++;
    const place = `${relative(root, mutant.path)}:${mutant.line}`;
    console.log(`${outcome.padEnd(9)} ${place} ${mutant.kind}: ${mutant.before} → ${mutant.after}`);
  }
  const percent = chosen.length === 0 ? 100 : (100 * killed) / chosen.length;
  console.log(`${killed} of ${chosen.length} killed, ${percent.toFixed(1)} %`);
  return percent >= Number(values.least) ? 0 : 1;
}

/**
 * Runs the room's tests once, unchanged but for probes, and says for a mutant which test files come by
 * it, the quickest first. What runs as its file is loaded is loaded once for several test files, so
 * those which could load it are asked of vitest instead (`undefined`).
 */
async function testsThatReach(mutants) {
  const reachedPath = join(work, 'reached.ndjson');
  writeFileSync(reachedPath, '');
  const probed = Object.fromEntries(
    [...new Set(mutants.map(({ path }) => path))].map((path) => [
      path,
      withProbes(
        readFileSync(path, 'utf8'),
        mutants.filter((mutant) => mutant.path === path),
      ),
    ]),
  );
  const { code, output } = await runTests(['run'], probed, {
    timeoutMs: 600_000,
    env: { WAYGATE_REACHED: reachedPath },
  });
  if (code !== 0) {
    console.error(`the tests do not pass as they are:\n${output.slice(-4000)}`);
    return undefined;
  }
  const files = readFileSync(reachedPath, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .sort((one, other) => one.ms - other.ms);
  return ({ number, isOnLoad }) =>
    isOnLoad ? undefined : files.filter(({ reached }) => reached.includes(number));
}

async function outcomeOf({ path, start, end, text }, tests) {
  if (tests?.length === 0) return 'unreached';
  const source = readFileSync(path, 'utf8');
  const mutated = { [path]: source.slice(0, start) + text + source.slice(end) };
  const expectedMs = tests?.reduce((sum, { ms }) => sum + ms, 0);
  const { code } = await runTests(
    tests === undefined ? ['related', path, '--run'] : ['run', ...tests.map(({ file }) => file)],
    mutated,
    { timeoutMs: expectedMs === undefined ? 120_000 : 30_000 + 4 * expectedMs },
  );
  if (code === undefined) return 'timed out';
  return code === 0 ? 'survived' : 'killed';
}

/** Runs tests of the room with other texts for some sources. The code is undefined when they do not end. */
function runTests(what, replaced, { timeoutMs, env = {} }) {
  const plan = join(work, 'replaced.json');
  writeFileSync(plan, JSON.stringify(replaced));
  const child = spawn(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      ...what,
      '--bail=1',
      '--passWithNoTests',
      '--reporter=dot',
      `--config=${join(root, 'scripts/mutants.config.mjs')}`,
    ],
    {
      cwd: root,
      env: { ...process.env, WAYGATE_ROOM: values.room, WAYGATE_MUTATED: plan, ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  children.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => {
      output += data;
    });
  return new Promise((resolve) => {
    const timer = setTimeout(() => stop(child), timeoutMs);
    child.once('close', (code) => {
      clearTimeout(timer);
      children.delete(child);
      resolve({ code: code ?? undefined, output });
    });
  });
}

/** Its own workers are in its process group, and go with it. */
function stop(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

function sourcesOf(directory) {
  return [join(directory, 'src'), join(directory, 'web', 'src')]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/\.test\.ts$|\/(generated|testing|fixtures)\/|\/index\.ts$/.test(path))
    .sort();
}

/** Some of the items, the same for the same seed. */
function sample(items, count, seed) {
  const rest = [...items];
  const random = randomOf(seed);
  const chosen = [];
  while (chosen.length < count && rest.length > 0)
    chosen.push(...rest.splice(Math.floor(random() * rest.length), 1));
  return chosen;
}

/** Mulberry32. */
function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
