import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestServer } from '@waygate/apiserver';
import { prometheusMetrics } from '@waygate/runtime';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { gitRepositoryKind } from './api/source-objects.ts';
import { GitOpsControllers } from './gitops-controllers.ts';
import { startTestCluster, type TestCluster } from './testing/cluster.ts';
import { TestRepository } from './testing/git-repository.ts';

let cluster: TestCluster;
let repository: TestRepository;
let storage: string;

beforeEach(async () => {
  cluster = await startTestCluster(await startTestServer());
  repository = new TestRepository();
  storage = mkdtempSync(join(tmpdir(), 'waygate-metrics-'));
});

afterEach(async () => {
  await cluster[Symbol.asyncDispose]();
  repository.remove();
  rmSync(storage, { recursive: true, force: true });
});

test('the metrics of Flux tell how objects are, and forget those that are gone', async () => {
  const metrics = prometheusMetrics();
  const stopping = new AbortController();
  const controllers = new GitOpsControllers({
    client: cluster.client,
    storageDirectory: storage,
    allowFileUrls: true,
    metrics,
  });
  const running = controllers.run(stopping.signal);
  try {
    repository.commit({ 'a.yaml': '' });
    const sources = cluster.client.resource(gitRepositoryKind);
    const namespace = 'default';
    const spec = { url: repository.url, interval: '1h', ref: { branch: 'main' } };
    await sources.create({ metadata: { name: 'shop', namespace }, spec }, { namespace });
    const labels = 'kind="GitRepository",name="shop",namespace="default"';
    const seen = await cluster.until(
      () => metrics.registry.metrics(),
      (text) => text.includes(`gotk_reconcile_condition{${labels},type="Ready",status="True"} 1`),
    );
    expect(seen).toContain(`gotk_suspend_status{${labels}} 0`);
    expect(seen).toMatch(
      /gotk_resource_info\{.*ready="True",suspended="false",revision="main@sha1:/,
    );
    await cluster.until(
      () => metrics.registry.metrics(),
      (text) => text.includes(`gotk_reconcile_duration_seconds_count{${labels}}`),
    );
    await sources.delete('shop', { namespace });
    await cluster.until(
      () => metrics.registry.metrics(),
      (text) => !text.includes('name="shop"'),
    );
  } finally {
    stopping.abort();
    await running;
  }
});
