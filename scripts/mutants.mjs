// `npm run mutants -- --room ROOM --count N --seed S`: does anybody notice? Changes one small thing in
// a source of the room at a time and runs the room's own tests that reach it (found out beforehand, with
// a probe at each mutant). A mutant that no test notices shows code that nothing holds. Sources are not
// touched: the change is made as they are loaded.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { given } from './given.mjs';
import { mutationsOf, withProbes } from './mutation.mjs';
import { root } from './setup.mjs';

const usage =
  'usage: npm run mutants -- --room ROOM [--count N] [--seed S] [--only PATH] [--least PERCENT] [--no-recordings]\n' +
  '       npm run mutants -- --room ROOM --unreached [--only PATH]';
const { values } = given(usage, {
  options: {
    room: { type: 'string' },
    count: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    /** Only files whose path has this in it. */
    only: { type: 'string', default: '' },
    /** Fails when fewer percent than this are killed. */
    least: { type: 'string', default: '0' },
    /** Whether what no test notices is tried on the room's recordings. */
    recordings: { type: 'boolean', default: true },
    /** Lists the lines that no test comes by, of all mutants, instead of trying some. */
    unreached: { type: 'boolean', default: false },
  },
});
if (values.room === undefined) {
  console.error(usage);
  process.exit(64);
}
/** The suites of `conformance/` that are recorded of what a room does. */
const recordings = new Map([
  ['apiserver', 'apiserver'],
  ['gateway', 'kong,nginx'],
  ['gitops', 'flux'],
  ['helm', 'helm'],
  ['ingress', 'kic,kic-legacy,nginx'],
  ['kong', 'deck,kong'],
  ['kube', 'client-go,client-go-more'],
  ['kustomize', 'kustomize'],
  ['passthrough', 'passthrough'],
  ['runtime', 'client-go,client-go-more'],
]);
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
  if (values.unreached) return await printUnreached(all);
  const chosen = sample(all, Number(values.count), Number(values.seed)).map((mutant, number) => ({
    ...mutant,
    number,
  }));
  console.log(`${chosen.length} of ${all.length} mutants of ${values.room}, seed ${values.seed}`);
  const tests = await reach(chosen, {});
  const suites = recordings.get(values.room);
  if (tests === undefined) return 1;
  const outcomes = new Map();
  for (const mutant of chosen) {
    outcomes.set(mutant, await outcomeOfTests(mutant, tests));
    console.log(lineOf(mutant, outcomes.get(mutant)));
  }
  const left = chosen.filter((mutant) => outcomes.get(mutant) !== 'killed');
  if (suites !== undefined && values.recordings && left.length > 0) {
    const cases = await reach(left, { WAYGATE_SUITES: suites });
    if (cases === undefined) return 1;
    for (const mutant of left)
      if (await isKilledByRecordings(mutant, cases, suites)) {
        outcomes.set(mutant, 'recorded');
        console.log(lineOf(mutant, 'recorded'));
      }
  }
  const count = (...kinds) => [...outcomes.values()].filter((kind) => kinds.includes(kind)).length;
  const percent = (some) => `${((100 * some) / Math.max(1, chosen.length)).toFixed(1)} %`;
  const killed = count('killed', 'recorded');
  console.log(
    `${count('killed')} of ${chosen.length} killed by the room's tests (${percent(count('killed'))}), ` +
      `${killed} with its recordings (${percent(killed)}); ${count('unreached')} are not reached`,
  );
  return (100 * killed) / Math.max(1, chosen.length) >= Number(values.least) ? 0 : 1;
}

/** Per file, those with the most first: how many of its mutants no test of the room comes by, and their lines. */
async function printUnreached(all) {
  const tests = await reach(
    all.map((mutant, number) => ({ ...mutant, number })),
    {},
  );
  if (tests === undefined) return 1;
  const reached = new Set(tests.flatMap((test) => test.reached));
  const missed = all.filter(({ isOnLoad }, number) => !isOnLoad && !reached.has(number));
  const files = [...new Set(missed.map(({ path }) => path))].map((path) => [
    path,
    missed.filter((one) => one.path === path),
  ]);
  for (const [path, its] of files.sort(([, one], [, other]) => other.length - one.length)) {
    const lines = [...new Set(its.map(({ line }) => line))];
    console.log(`${String(its.length).padStart(4)} ${relative(root, path)}: ${lines.join(' ')}`);
  }
  console.log(`${missed.length} of ${all.length} mutants of ${values.room} are not reached`);
  return 0;
}

function lineOf({ path, line, kind, before, after }, outcome) {
  return `${outcome.padEnd(9)} ${relative(root, path)}:${line} ${kind}: ${before} → ${after}`;
}

/**
 * Runs the room's tests (or its recordings) once, unchanged but for probes: which of them come by which
 * mutant, the quickest first.
 */
async function reach(mutants, env) {
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
  const report = join(work, 'report.json');
  rmSync(report, { force: true });
  const { output } = await runTests(['run'], probed, {
    timeoutMs: 900_000,
    env: { ...env, WAYGATE_REACHED: reachedPath },
    flags: ['--reporter=json', `--outputFile=${report}`],
  });
  if (!existsSync(report)) {
    console.error(`the tests cannot be run as they are:\n${output.slice(-4000)}`);
    return undefined;
  }
  const failed = new Set(
    JSON.parse(readFileSync(report, 'utf8'))
      .testResults.filter(({ status }) => status === 'failed')
      .map(({ name }) => name),
  );
  for (const file of failed) console.log(`fails     ${relative(root, file)}, as it is: left out`);
  return readFileSync(reachedPath, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .filter(({ file }) => !failed.has(file))
    .sort((one, other) => one.ms - other.ms);
}

/**
 * What runs as its file is loaded is loaded once for several test files, so no probe tells which of
 * them it matters to: vitest says which could load it.
 */
async function outcomeOfTests(mutant, tests) {
  const its = tests.filter(({ reached }) => reached.includes(mutant.number));
  if (its.length === 0) return 'unreached';
  const { code } = await runTests(
    mutant.isOnLoad
      ? ['related', mutant.path, '--run']
      : ['run', ...its.map(({ file }) => relative(root, file))],
    mutated(mutant),
    { timeoutMs: mutant.isOnLoad ? 180_000 : 60_000 + 4 * msOf(its) },
  );
  // One that does not end is noticed, too.
  return code === 0 ? 'survived' : 'killed';
}

async function isKilledByRecordings(mutant, cases, suites) {
  const its = cases.filter(
    ({ reached, isSound }) => isSound && (mutant.isOnLoad || reached.includes(mutant.number)),
  );
  if (its.length === 0) return false;
  const groups = join(work, 'groups.json');
  writeFileSync(groups, JSON.stringify(its.map(({ group }) => group)));
  const { code } = await runTests(['run'], mutated(mutant), {
    timeoutMs: 60_000 + 4 * msOf(its),
    env: { WAYGATE_SUITES: suites, WAYGATE_GROUPS: groups },
  });
  return code !== 0;
}

function mutated({ path, start, end, text }) {
  const source = readFileSync(path, 'utf8');
  return { [path]: source.slice(0, start) + text + source.slice(end) };
}

function msOf(tests) {
  return tests.reduce((sum, { ms }) => sum + ms, 0);
}

/** Runs tests of the room with other texts for some sources. The code is undefined when they do not end. */
function runTests(what, replaced, { timeoutMs, env = {}, flags = ['--bail=1'] }) {
  const plan = join(work, 'replaced.json');
  writeFileSync(plan, JSON.stringify(replaced));
  const child = spawn(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      ...what,
      ...flags,
      // What fails once because the machine is busy is neither the mutant's doing nor the tests'.
      '--retry=1',
      '--passWithNoTests',
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
    .filter(
      (path) => !/\.test\.ts$|\/(generated|testing|fixtures|simulation)\/|\/index\.ts$/.test(path),
    )
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
