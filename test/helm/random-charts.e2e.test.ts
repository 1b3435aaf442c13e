import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { encodeBytes, MemoryFiles, runHelm } from '@waygate/helm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FoundHelm, findHelms } from '../deploy/helm.ts';
import { run } from '../real/processes.ts';
import { randomChart } from './random-chart.ts';

// WAYGATE_HELM_CHARTS=5000 renders more, with each helm; WAYGATE_SEED=7 others. WAYGATE_HELM_PROGRAM names helms to compare with.
const asked = process.env.WAYGATE_HELM_CHARTS;
const firstSeed = Number(process.env.WAYGATE_SEED ?? 1) * 100_000;
/** So many that differ are shown; the others are counted. */
const mostShown = 5;
/** What the real helm may take for one chart: some print values that hold themselves, until there is no memory left. */
const realKilobytes = 4_000_000;
const realMs = 60_000;
const { helms, problems } = await findHelms();
/** So many with each helm; if nobody asked, 200 with all of them together. */
const count = asked === undefined ? Math.ceil(200 / helms.length) : Number(asked);
for (const problem of problems) console.warn(`Random charts are not compared: ${problem}`);

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: readonly string[];
}

/** A frame of Go's stack, as Helm 3 prints it of some errors with --debug. */
const frame = /^(\t\/.+:\d+|(main|runtime|github\.com\/|helm\.sh\/)[^ ]*)$/;

/** Addresses and times are each run's own; what is warned of comes in no order. */
function comparable(code: number, stdout: string, stderr: string): Ran {
  const plain = (text: string) =>
    text
      .replaceAll(/0x[0-9a-f]{9,}|0X[0-9A-F]{9,}|(?<=\[)\d{12,15}(?=\])/g, 'ADDRESS')
      .replaceAll(/ m=\+\d+\.\d+/g, '')
      .replaceAll(/20\d\d[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d[.\d]*Z?/g, 'TIME');
  const printed = plain(stdout);
  return {
    code,
    // What cannot be read is printed with --debug in the order of a map of Go's, which is another one in each run.
    stdout:
      code === 0
        ? printed
        : printed
            .split(/^---\n(?=# Source: )/m)
            .map((each) => each.trimEnd())
            .sort()
            .join('\n---\n'),
    stderr: plain(stderr)
      .split('\n')
      .filter((line) => !frame.test(line))
      .sort(),
  };
}

/** What ours and the real one say; undefined where the real one has nothing to say. */
async function rendered(
  seed: number,
  { path: helm, major }: FoundHelm,
  directory: string,
): Promise<[Ran, Ran] | undefined> {
  const chart = randomChart(seed, major);
  const root = join(directory, String(seed));
  const files = new MemoryFiles();
  for (const [name, text] of Object.entries(chart.files)) {
    const place = join(root, name);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, text);
    files.write(place, text);
  }
  const env = { ...process.env, HOME: root, TZ: 'UTC' };
  const real = await run(
    'sh',
    ['-c', `ulimit -v ${realKilobytes}; exec "$@"`, 'sh', helm, ...chart.args],
    { cwd: root, env, encoding: 'latin1', timeoutMs: realMs },
  );
  let [stdout, stderr] = ['', ''];
  const code = await runHelm(chart.args, {
    helm: major,
    cwd: root,
    env: {},
    files,
    now: () => new Date(),
    random: (length) => new Uint8Array(length),
    timeZone: 'UTC',
    writeOut: (text) => {
      stdout += encodeBytes(text).toString('latin1');
    },
    writeError: (text) => {
      stderr += encodeBytes(text).toString('latin1');
    },
  });
  rmSync(root, { recursive: true });
  // A value that holds itself takes the real one's stack or memory, and a dozen keys that are made take seconds of both: there
  // is nothing to compare with.
  const isBroken =
    /goroutine stack exceeds|out of memory|^fatal error: /m.test(real.stderr) ||
    (real.code !== 0 && !real.stderr.includes('Error: '));
  const isCostly =
    stderr.includes('the templates use more than') &&
    /derivePassword|bcrypt|htpasswd|gen[A-Z]/.test(Object.values(chart.files).join());
  // What Go has in reserve behind a list is not ours to know: see the room's README.
  const isReserve = stderr.includes('slice index out of bounds') && stderr !== real.stderr;
  if (isBroken || isCostly || isReserve) return undefined;
  return [
    comparable(code, stdout, stderr),
    comparable(real.code === 0 ? 0 : 1, real.stdout, real.stderr),
  ];
}

describe.each(helms)('random charts and Helm $major', (helm) => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'waygate-charts-'));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test(
    `${count} are rendered as by the real helm, byte for byte, or refused in its words`,
    async () => {
      // No two helms get the same ones.
      const first = firstSeed + helms.indexOf(helm) * count;
      const seeds = Array.from({ length: count }, (_, index) => first + index);
      const different: Record<number, readonly [Ran, Ran]> = {};
      let sound = 0;
      let compared = 0;
      const work = async () => {
        for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
          const answers = await rendered(seed, helm, directory);
          if (answers === undefined) continue;
          compared += 1;
          const [ours, theirs] = answers;
          if (!isDeepStrictEqual(ours, theirs)) different[seed] = answers;
          if (theirs.code === 0) sound += 1;
        }
      };
      // The real one waits for the disk: two at a time keep two cores busy.
      await Promise.all([work(), work()]);
      console.info(`Helm ${helm.major}: ${compared} of ${count} charts compared, ${sound} sound`);
      for (const [seed, [ours, theirs]] of Object.entries(different).slice(0, mostShown)) {
        expect.soft(ours, `seed ${seed}, Helm ${helm.major}`).toEqual(theirs);
      }
      expect(Object.keys(different), 'seeds of charts that differ').toEqual([]);
      // Charts that fail at once compare little.
      expect(sound).toBeGreaterThan(count / 3);
    },
    120_000 + count * 1000,
  );
});
