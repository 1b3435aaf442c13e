import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@waygate/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  Artifact,
  GitRepository,
  GitRepositorySpec,
  GitRepositoryStatus,
} from '../../../packages/gitops/src/api/source-objects.ts';
import { ArtifactFetcher } from '../../../packages/gitops/src/artifact/artifact-fetcher.ts';
import { GitProgram } from '../../../packages/gitops/src/git/git-program.ts';
import { GitRepositoryWorker } from '../../../packages/gitops/src/source/git-repository-worker.ts';
import { WorkTree } from '../work-tree.ts';
import { CuttingServer, cutAt, framings } from './cutting-server.ts';
import { RecordedGit } from './recorded-git.ts';
import { noSecrets, type PassOutcome, SourceBench } from './source-bench.ts';

// A git server that breaks off after each byte that it sends in a pass. One store lives through all of
// it: what one cut leaves behind is there at the next. Every so often a copy of it gets a pass without a
// cut, which has to make up for everything.

const first = { 'a.yaml': 'a: 1\n', 'b/c.yaml': 'c: 2\n', 'z.yaml': 'z: 3\n' };
const second = { ...first, 'a.yaml': 'a: 2\n', 'new.yaml': 'n: 1\n' };
const git = new GitProgram();
let root: string;
let backend: RecordedGit;
let server: CuttingServer;
let trees: Record<'main' | 'part', WorkTree>;

type Bench = SourceBench<GitRepository, GitRepositoryStatus>;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'waygate-cut-git-'));
  backend = new RecordedGit(root);
  server = await CuttingServer.start(backend.answer);
  trees = { main: new WorkTree(join(root, 'main')), part: new WorkTree(join(root, 'part')) };
  trees.main.commit(first);
});

afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

function pass(
  bench: Bench,
  spec: Partial<GitRepositorySpec> = {},
  before?: Artifact,
  signal?: AbortSignal,
): Promise<PassOutcome> {
  const { storage } = bench;
  const worker = new GitRepositoryWorker({
    secrets: noSecrets,
    repositoryOf: () => undefined,
    storage,
    fetcher: new ArtifactFetcher({ storage }),
    git,
    allowsFileUrls: false,
    clock: systemClock,
  });
  const metadata = { name: 'g', namespace: 'default', generation: 1 };
  const url = `http://${server.host}/main/.git`;
  const all = { url, interval: '1h', ref: { branch: 'main' }, timeout: '20s', ...spec };
  return bench.pass(worker, { metadata, spec: all }, before, signal);
}

/** The directory in which a worker keeps the store of its one object. */
function storeOf({ directory }: Bench): string {
  const stores = join(directory, '.git-objects');
  return join(stores, readdirSync(stores)[0] ?? '');
}

/** A bench with the same store, and nothing else. */
function copyOf(bench: Bench): Bench {
  const copy: Bench = new SourceBench();
  const stores = join(bench.directory, '.git-objects');
  cpSync(stores, join(copy.directory, '.git-objects'), { recursive: true });
  return copy;
}

interface Sweep {
  readonly spec?: Partial<GitRepositorySpec>;
  readonly wanted: Record<string, string>;
  /** What is there before each cut. */
  readonly start: () => Promise<{ bench: Bench; before?: Artifact }>;
  /** A cut every so many bytes; of the last answer of a pass, which is the pack, by its own number. */
  readonly step: number;
  readonly packStep: number;
}

/** Every byte, which takes minutes: `WAYGATE_CUT_EVERY_BYTE=1`. */
const isThorough = process.env.WAYGATE_CUT_EVERY_BYTE !== undefined;

async function sweep({ spec, wanted, start, step, packStep }: Sweep): Promise<number> {
  let most = 0;
  let packAt = Number.POSITIVE_INFINITY;
  for (const framing of framings) {
    const { bench, before } = await start();
    server.begin(undefined, framing);
    expect(await pass(bench, spec, before)).toMatchObject({ files: wanted });
    most = Math.max(most, server.sent);
    packAt = Math.min(packAt, server.lastBegan);
    bench.remove();
  }
  const { runs } = backend;
  let { bench, before } = await start();
  let cuts = 0;
  let refused = 0;
  for (let at = 0; at < most; at += isThorough ? 1 : at < packAt ? step : packStep) {
    cuts++;
    server.begin(cutAt(at, cuts));
    const outcome = await pass(bench, spec, before);
    if ('error' in outcome) refused++;
    else expect(outcome.files, `cut at ${at}`).toEqual(wanted);
    // No quarantine is left, and what counts as a store is one.
    expect(readdirSync(storeOf(bench)).filter((name) => name !== 'store')).toEqual([]);
    if (cuts % 40 === 0) {
      const copy = copyOf(bench);
      server.begin();
      expect(await pass(copy, spec, before), `after ${at}`).toMatchObject({ files: wanted });
      copy.remove();
    }
    if ('error' in outcome) continue;
    bench.remove();
    ({ bench, before } = await start());
  }
  server.begin();
  expect(await pass(bench, spec, before)).toMatchObject({ files: wanted });
  bench.remove();
  // What is asked is always the same: all of this was against what the real server said.
  expect(backend.runs - runs).toBeLessThan(12);
  expect(refused).toBeGreaterThan(cuts / 2);
  return cuts;
}

const nothing = async () => ({ bench: new SourceBench() as Bench });

const patience = 600_000;

test(
  'the first fetch, cut after any byte, gives all files or none',
  async () => {
    const cuts = await sweep({ wanted: first, start: nothing, step: 29, packStep: 3 });
    expect(cuts).toBeGreaterThan(200);
  },
  patience,
);

describe('a fetch', () => {
  test(
    'into a store that has the commit before, cut, leaves it as it was',
    async () => {
      const sound: Bench = new SourceBench();
      server.begin();
      const had = await pass(sound);
      if ('error' in had) throw new Error(had.error);
      trees.main.commit(second);
      backend.forget();
      await sweep({
        wanted: second,
        start: async () => ({ bench: copyOf(sound), before: had.artifact }),
        step: 37,
        packStep: 11,
      });
      sound.remove();
    },
    patience,
  );

  test(
    'of a commit on a branch, for which all of the past is needed',
    async () => {
      trees.main.commit({ 'a.yaml': 'later' });
      backend.forget();
      const commit = trees.main.git('rev-parse', 'HEAD~1');
      await sweep({
        spec: { ref: { branch: 'main', commit } },
        wanted: second,
        start: nothing,
        step: 97,
        packStep: 37,
      });
    },
    patience,
  );

  test(
    'of submodules',
    async () => {
      trees.part.commit({ 'p.yaml': 'p: 1\n', 'q/r.yaml': 'r: 1\n' });
      const { directory } = trees.part;
      // The server is in this process: git can only be waited for where it does not ask it.
      trees.main.git('-c', 'protocol.file.allow=always', 'submodule', 'add', directory, 'sub');
      const url = `http://${server.host}/part/.git`;
      trees.main.commit({ '.gitmodules': `[submodule "sub"]\n\tpath = sub\n\turl = ${url}\n` });
      backend.forget();
      const files = {
        ...second,
        'a.yaml': 'later',
        'sub/p.yaml': 'p: 1\n',
        'sub/q/r.yaml': 'r: 1\n',
      };
      await sweep({
        spec: { recurseSubmodules: true },
        wanted: files,
        start: nothing,
        step: 97,
        packStep: 37,
      });
    },
    patience,
  );

  test('that stalls until its time is up, or is called off, leaves nothing behind', async () => {
    const bench: Bench = new SourceBench();
    server.begin();
    const whole = await pass(bench);
    expect(whole).toHaveProperty('files');
    rmSync(storeOf(bench), { recursive: true });
    const { lastBegan, sent } = server;
    for (const place of [lastBegan / 2, (lastBegan + sent) / 2]) {
      let stalled: () => void = () => undefined;
      const reached = new Promise<void>((resolve) => {
        stalled = resolve;
      });
      server.onCut = () => {
        stalled();
        return new Promise(() => undefined);
      };
      server.begin({ ...cutAt(Math.floor(place)), staysDown: false });
      expect(await pass(bench, { timeout: '2s' })).toMatchObject({
        error: expect.stringContaining('context deadline exceeded'),
      });
      await reached;
      expect(readdirSync(storeOf(bench))).toEqual([]);
      server.begin({ ...cutAt(Math.floor(place)), staysDown: false });
      const calledOff = new AbortController();
      server.onCut = () => {
        calledOff.abort(new Error('called off'));
        return new Promise(() => undefined);
      };
      const outcome = await pass(bench, {}, undefined, calledOff.signal);
      expect(outcome).toMatchObject({ error: expect.stringContaining('called off') });
      expect(readdirSync(storeOf(bench))).toEqual([]);
      server.onCut = () => undefined;
    }
    server.begin();
    expect(await pass(bench)).toEqual({ ...whole, artifact: expect.anything() });
    bench.remove();
  });
});
