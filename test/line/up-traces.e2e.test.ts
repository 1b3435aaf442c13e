import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Running, run, start, waygate } from '../real/processes.ts';
import { revisionOf, startCollector, wayOf, wholeWay } from './collector.ts';

// Traces of `waygate up` as a program of its own, at a collector on a socket.

const patience = { timeout: 60_000, interval: 50 };
let home: string;
let project: string;
let collector: Awaited<ReturnType<typeof startCollector>>;
let stack: Running | undefined;

beforeEach(async () => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'waygate-up-traces-')));
  project = join(home, 'project');
  mkdirSync(project);
  collector = await startCollector();
});

afterEach(async () => {
  await stack?.stop('SIGKILL');
  stack = undefined;
  await collector.close();
  rmSync(home, { recursive: true, force: true });
});

/** A Service that a stub answers for, and a path that leads to it. */
function save(path: string): void {
  const service = { port: { number: 80 }, name: 'web' };
  const objects = [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web' },
      spec: { ports: [{ port: 80 }] },
    },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'web' },
      spec: {
        ingressClassName: 'kong',
        rules: [{ http: { paths: [{ path, pathType: 'Prefix', backend: { service } }] } }],
      },
    },
  ];
  writeFileSync(
    join(project, 'app.yaml'),
    objects.map((one) => JSON.stringify(one)).join('\n---\n'),
  );
  writeFileSync(join(project, 'waygate.yaml'), 'services: {web: {stub: echo}}\n');
}

async function up(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  stack = start(process.execPath, [waygate, 'up', project, '--dashboard=false', ...args], {
    XDG_STATE_HOME: join(home, 'state'),
    TMPDIR: home,
    OTEL_BSP_SCHEDULE_DELAY: '50',
    ...env,
  });
  await vi.waitFor(() => expect(stack?.output()).toContain('What changes'), patience);
}

async function isServed(path: string): Promise<void> {
  const url = /Gateway\s+(http:\S+)/.exec(stack?.output() ?? '')?.[1];
  await vi.waitFor(
    async () => expect((await fetch(`${url}${path}`)).status, stack?.output()).toBe(200),
    patience,
  );
}

const revisions = () => [...new Set(collector.spans.map(revisionOf))];

/** The trace of the newest of so many revisions is whole. */
async function isWhole(count: number): Promise<void> {
  await vi.waitFor(() => {
    expect(revisions()).toHaveLength(count);
    expect(wayOf(collector.spans, revisions().at(-1))).toEqual(wholeWay);
  }, patience);
}

test('saves are a trace each, also those that the collector missed', async () => {
  save('/one');
  await up([], { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  await isServed('/one');
  await isWhole(1);

  // The collector goes away in the middle: the line goes on, and what it missed is told later.
  collector.isAway = true;
  save('/two');
  await isServed('/two');
  await vi.waitFor(() => expect(collector.refusedCount).toBeGreaterThan(0), patience);
  await vi.waitFor(() => expect(stack?.output()).toContain('no traces'), patience);
  expect(revisions()).toHaveLength(1);
  collector.isAway = false;
  await isWhole(2);

  // A save is noticed before the directory is read, and all that follows comes after it.
  const second = revisions()[1];
  const own = collector.spans.filter((span) => revisionOf(span) === second);
  const startOf = (name: string) =>
    BigInt(own.find((span) => span.name === name)!.startTimeUnixNano);
  expect(startOf('commit') <= startOf('fetch')).toBe(true);
  expect(startOf('fetch') <= startOf('apply')).toBe(true);
  const ids = collector.spans.map(({ traceId, spanId }) => `${traceId} ${spanId}`);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(2);
});

test('commits are a trace each; what is left is sent when the stack stops', async () => {
  const git = (...args: string[]) =>
    execFileSync(
      'git',
      ['-C', project, '-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args],
      { encoding: 'utf8' },
    ).trim();
  const commit = (path: string) => {
    save(path);
    git('add', '-A');
    git('commit', '--quiet', '-m', path);
    return git('rev-parse', 'HEAD');
  };
  git('init', '--quiet', '--initial-branch=main');
  const first = commit('/one');
  await up(['--otlp-endpoint', collector.url], { OTEL_BSP_SCHEDULE_DELAY: '600000' });
  await isServed('/one');
  const second = commit('/two');
  await isServed('/two');
  expect(collector.spans).toEqual([]);
  expect(await stack?.stop()).toBe(0);
  expect(revisions()).toEqual([`main@sha1:${first}`, `main@sha1:${second}`]);
  for (const revision of revisions()) {
    const names = collector.spans.filter((span) => revisionOf(span) === revision);
    expect(names.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['commit', 'fetch', 'download', 'build', 'apply']),
    );
  }
});

test('nothing is sent unless it is asked for, and an address that is none is refused', async () => {
  save('/one');
  await up([], { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SDK_DISABLED: 'true' });
  await isServed('/one');
  expect(await stack?.stop()).toBe(0);
  expect(collector.spans).toEqual([]);
  for (const flags of [
    ['--otlp-endpoint', 'nowhere'],
    ['--otlp-endpoint', collector.url, '--trace-ratio', '2'],
  ]) {
    const { code, stderr } = await run(process.execPath, [waygate, 'up', project, ...flags], {
      env: { ...process.env, XDG_STATE_HOME: join(home, 'state'), TMPDIR: home },
    });
    expect(code).toBe(64);
    expect(stderr).toMatch(/traces must be/);
  }
});
