import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { customResourceDefinitions, GitOpsControllers } from '@waygate/gitops';
import { OtlpExporter, Tracer } from '@waygate/runtime';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answer, core, ingress, Stack, service, slice, slices } from '../ingress/stack.ts';
import { until } from '../until.ts';
import {
  type OtlpSpan,
  revisionOf,
  startCollector,
  wayOf as wayAmong,
  wholeWay,
} from './collector.ts';

// One trace for each revision, though what fetches and applies and what feeds gateways are two programs
// that never speak to each other.

let stack: Stack;
let directory: string;
let spans: readonly OtlpSpan[] = [];

beforeEach(async () => {
  stack = await Stack.start();
  directory = mkdtempSync(join(tmpdir(), 'waygate-traces-'));
  stack.onStop(async () => rmSync(directory, { recursive: true }));
});

afterEach(() => stack.stop());

async function collector(): Promise<string> {
  const started = await startCollector();
  spans = started.spans;
  stack.onStop(() => started.close());
  return `${started.url}/v1/traces`;
}

const wayOf = (revision: string): string[] => wayAmong(spans, revision);

/** A tracer as each program has one of its own. */
function tracerTo(url: string, program: string): Tracer {
  const resource = { 'service.name': program };
  const exporter = new OtlpExporter({ url, resource, delayMs: 20 });
  const stop = new AbortController();
  const running = exporter.run(stop.signal);
  stack.onStop(async () => {
    stop.abort();
    await running;
  });
  return new Tracer(exporter);
}

function git(...args: string[]): string {
  const who = ['-c', 'user.name=Tester', '-c', 'user.email=tester@example.com'];
  const cwd = join(directory, 'repository');
  return execFileSync('git', [...who, ...args], { cwd, encoding: 'utf8' }).trim();
}

function commit(files: Readonly<Record<string, object | string>>): string {
  for (const [name, content] of Object.entries(files)) {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    writeFileSync(join(directory, 'repository', name), text);
  }
  git('add', '-A');
  git('commit', '--quiet', '-m', 'change');
  return `main@sha1:${git('rev-parse', 'HEAD')}`;
}

const manifest = (host: string): object => {
  const { metadata, ...rest } = ingress('web', host) as { metadata: object };
  const type = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress' };
  return { ...type, metadata: { ...metadata, namespace: 'default' }, ...rest };
};

async function startGitOps(tracer: Tracer): Promise<void> {
  const controllers = new GitOpsControllers({
    client: stack.client,
    storageDirectory: join(directory, 'artifacts'),
    allowFileUrls: true,
    watchFileUrls: true,
    onError: () => undefined,
    tracer,
  });
  const stop = new AbortController();
  const running = controllers.run(stop.signal);
  stack.onStop(async () => {
    stop.abort();
    await running;
  });
  await controllers.ready;
}

async function follow(): Promise<void> {
  const sources = '/apis/source.toolkit.fluxcd.io/v1/namespaces/default/gitrepositories';
  const url = pathToFileURL(join(directory, 'repository')).href;
  await stack.create(sources, {
    metadata: { name: 'shop' },
    spec: { url, interval: '1h', ref: { branch: 'main' } },
  });
  await stack.create('/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/default/kustomizations', {
    metadata: { name: 'shop' },
    spec: {
      interval: '1h',
      retryInterval: '1s',
      prune: true,
      sourceRef: { kind: 'GitRepository', name: 'shop' },
    },
  });
}

test('a commit and a second one are a trace each, from the commit to the gateway', async () => {
  const url = await collector();
  for (const definition of customResourceDefinitions())
    await stack.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  const { proxy, admin } = await stack.gateway();
  await stack.create(`${core}/services`, service);
  await stack.create(slices, slice(await stack.backend('served')));
  mkdirSync(join(directory, 'repository'));
  git('init', '--quiet', '--initial-branch=main');
  const first = commit({ 'web.yaml': manifest('one.test') });
  await startGitOps(tracerTo(url, 'gitops'));
  const kongAdmin = stack.adminClient(admin);
  const { stop } = stack.controller({ kongAdmin, tracer: tracerTo(url, 'ingress') });
  await follow();
  const whole = wholeWay;
  await until('it is live', async () => (await answer(proxy, 'one.test')) === 'served');
  await until('its trace is whole', async () => wayOf(first).length === whole.length);
  expect(wayOf(first)).toEqual(whole);

  const second = commit({ 'web.yaml': manifest('two.test') });
  await until('the second is live', async () => (await answer(proxy, 'two.test')) === 'served');
  await until('its trace is whole', async () => wayOf(second).length === whole.length);
  expect(wayOf(second)).toEqual(whole);

  // What cannot be built is told as such, and has no later steps.
  const broken = commit({ 'kustomization.yaml': 'resources: [nowhere.yaml]' });
  const failed = () => spans.find(({ status }) => status.code === 2);
  await until('the failure is told', async () => failed() !== undefined);
  expect(failed()).toMatchObject({ name: 'build' });
  expect(failed()?.status.message).toContain('nowhere.yaml');
  expect(revisionOf(failed() as OtlpSpan)).toBe(broken);
  expect(spans.some((span) => span.name === 'apply' && revisionOf(span) === broken)).toBe(false);

  const traces = new Map(spans.map((span) => [span.traceId, revisionOf(span)]));
  expect([...traces.values()].sort()).toEqual([first, second, broken].sort());
  await stop();
  // Nothing is told twice of one step.
  const ids = spans.map(({ traceId, spanId }) => `${traceId} ${spanId}`);
  expect(new Set(ids).size).toBe(ids.length);
});

test('a chart and its next version are a trace each, from the chart to the gateway', async () => {
  const url = await collector();
  for (const definition of customResourceDefinitions())
    await stack.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  mkdirSync(join(directory, 'repository/chart/templates'), { recursive: true });
  git('init', '--quiet', '--initial-branch=main');
  const chart = (version: string) => ({
    'chart/Chart.yaml': `apiVersion: v2\nname: shop\nversion: ${version}\n`,
    'chart/templates/web.yaml': manifest(`v${version}.test`),
  });
  const { proxy, admin } = await stack.gateway();
  await stack.create(`${core}/services`, service);
  await stack.create(slices, slice(await stack.backend('served')));
  commit(chart('0.1.0'));
  await startGitOps(tracerTo(url, 'gitops'));
  const kongAdmin = stack.adminClient(admin);
  const { stop } = stack.controller({ kongAdmin, tracer: tracerTo(url, 'ingress') });
  const sourceRef = { kind: 'GitRepository', name: 'shop' };
  await stack.create('/apis/source.toolkit.fluxcd.io/v1/namespaces/default/gitrepositories', {
    metadata: { name: 'shop' },
    spec: {
      url: pathToFileURL(join(directory, 'repository')).href,
      interval: '1h',
      ref: { branch: 'main' },
    },
  });
  await stack.create('/apis/helm.toolkit.fluxcd.io/v2/namespaces/default/helmreleases', {
    metadata: { name: 'shop' },
    spec: { interval: '1h', chart: { spec: { chart: './chart', sourceRef } } },
  });
  const whole = ['sync', 'translate', 'apply', 'download', 'fetch', 'commit'];
  for (const version of ['0.1.0', '0.2.0']) {
    if (version !== '0.1.0') commit(chart(version));
    const isLive = async () => (await answer(proxy, `v${version}.test`)) === 'served';
    await until('it is live', isLive);
    await until('its trace is whole', async () => wayOf(version).length === whole.length);
    expect(wayOf(version)).toEqual(whole);
  }
  await stop();
  const applied = spans.filter(({ name }) => name === 'apply');
  expect(applied.map(revisionOf)).toEqual(['0.1.0', '0.2.0']);
  expect(new Set(applied.map(({ traceId }) => traceId)).size).toBe(2);
});
