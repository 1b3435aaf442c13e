import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { listArchive } from '../chart/archive.ts';
import { packFiles } from '../chart/pack-chart.ts';
import type { HelmMajor } from '../engine/values-type.ts';
import { MemoryFiles } from './memory-files.ts';
import { runHelm } from './run-helm.ts';

interface Recorded {
  readonly rc: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What was written; an archive as its entries in order. */
  readonly made?: Readonly<Record<string, string | readonly object[]>>;
}

/** A chart, what is beside it, and what a real Helm 3.22 and 4.3 said of a command line about it. */
interface Row {
  readonly files: Readonly<Record<string, string>>;
  readonly work?: Readonly<Record<string, string>>;
  readonly pack?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly args: readonly string[];
  readonly v3: Recorded;
  /** Only where it differs. */
  readonly v4?: Recorded;
}
const recorded = JSON.parse(
  readFileSync(new URL('testdata/command-lines.json', import.meta.url), 'utf8'),
) as Record<string, Row[]>;

const now = new Date('2026-11-15T16:13:26.123Z');

/** As where it was recorded: nobody listens at any port. */
const network = {
  async fetch(url: string): Promise<never> {
    throw new Error(`Get "${url}": dial tcp ${new URL(url).host}: connect: connection refused`);
  },
  async listTags(repository: string): Promise<never> {
    throw new Error(`no network for ${repository}`);
  },
  async pullChart(reference: string): Promise<never> {
    throw new Error(`no network for ${reference}`);
  },
};

async function outcome({ files, work = {}, pack = {}, args }: Row, helm: HelmMajor) {
  const disk = new MemoryFiles(() => now);
  for (const [path, text] of Object.entries(files)) disk.write(`/W/chart/${path}`, text);
  for (const [path, text] of Object.entries(work)) disk.write(`/W/${path}`, text);
  const given = new Map([...disk.paths()].map((path) => [path, textAt(disk, path)]));
  // Archives that are given are told with what was made, too.
  for (const [path, contents] of Object.entries(pack)) {
    const entries = Object.entries(contents).map(([name, text]) => ({
      name,
      data: Buffer.from(text),
      modifiedAtMs: now.getTime(),
    }));
    disk.write(`/W/chart/${path}`, packFiles(entries));
  }
  let [stdout, stderr] = ['', ''];
  const rc = await runHelm(
    args.map((word) => (word === 'CHART' ? './chart' : word)),
    {
      helm,
      cwd: '/W',
      env: { HOME: '/home/nobody' },
      files: disk,
      network,
      now: () => now,
      random: (count) => new Uint8Array(count),
      timeZone: 'UTC',
      clusterVersion: 'v1.36.4',
      writeOut: (text) => {
        stdout += text;
      },
      writeError: (text) => {
        stderr += text;
      },
    },
  );
  const made: Record<string, string | object[]> = {};
  for (const path of disk.paths()) {
    if (given.get(path) === textAt(disk, path)) continue;
    made[path.slice('/W/'.length)] = path.endsWith('.tgz')
      ? entriesOf(disk.read(path))
      : textAt(disk, path);
  }
  return { rc, stdout, stderr, made };
}

function textAt(disk: MemoryFiles, path: string): string {
  return new TextDecoder().decode(disk.read(path));
}

function entriesOf(data: Uint8Array): object[] {
  return listArchive(data).map(({ name, data: content }) => ({
    name,
    size: content.length,
    text: new TextDecoder().decode(content),
  }));
}

/** Times are each run's own. */
function comparable({ rc, stdout, stderr, made = {} }: Recorded): unknown {
  const text = JSON.stringify({ rc, stdout, stderr, made }, (key, value) =>
    key === 'mode' ? undefined : value,
  )
    .replaceAll(/20\d\d-\d\d-\d\d \d\d:\d\d:\d\d[.\d]* \+0000 UTC m=\+[\d.]+/g, 'TIME')
    .replaceAll(/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*Z/g, 'TIME')
    .replaceAll(/\b[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d 20\d\d\b/g, 'TIME');
  return JSON.parse(text);
}

describe.each(Object.entries(recorded))('%s', (_feature, rows) => {
  rows.forEach((row, at) => {
    test(`${at + 1}: helm ${row.args.join(' ')}`, async () => {
      const { v3, v4 = v3 } = row;
      expect(comparable(await outcome(row, 3))).toEqual(comparable(v3));
      expect(comparable(await outcome(row, 4))).toEqual(comparable(v4));
    });
  });
});
