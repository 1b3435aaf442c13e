import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { IngressMetrics } from './controller-metrics.ts';

test('say which gateway was sent what, and how that ended', async () => {
  const registry = new Registry();
  const metrics = new IngressMetrics(registry, 'db-less', 'me');
  const dataplane = 'http://10.0.0.1:8001';
  metrics.push({ dataplane, durationMs: 120, bytes: 77, brokenCount: 0 }, false, 5_000);
  const error = Object.assign(new Error('no'), { status: 400 });
  metrics.push({ dataplane, durationMs: 10, bytes: 78, brokenCount: 2, error }, true, 6_000);
  const text = await registry.metrics();
  const place = `dataplane="${dataplane}",instance_id="me"`;
  const name = 'ingress_controller_configuration_push';
  expect(text).toContain(
    `${name}_count{success="true",protocol="db-less",${place},failure_reason=""} 1\n`,
  );
  expect(text).toContain(`${name}_size{success="true",protocol="db-less",${place}} 77\n`);
  expect(text).toContain(`${name}_last_successful{${place}} 5\n`);
  expect(text).toContain(`${name}_broken_resource_count{${place}} 0\n`);
  const fallback = 'ingress_controller_fallback_configuration_push';
  expect(text).toContain(
    `${fallback}_count{success="false",protocol="db-less",${place},failure_reason="conflict"} 1\n`,
  );
  expect(text).toContain(`${fallback}_broken_resource_count{${place}} 2\n`);
  expect(text).not.toContain(`${fallback}_last{`);
});

test('count a translation with problems as failed', async () => {
  const registry = new Registry();
  const metrics = new IngressMetrics(registry, 'deck', 'me');
  const object = { kind: 'Ingress', apiVersion: 'v1', namespace: 'a', name: 'b', uid: '' };
  const report = {
    outcome: { kind: 'unchanged' },
    services: [],
    rejected: [],
    changed: [],
    removed: [],
    translationMs: 3,
    syncMs: 0,
  } as const;
  const snapshot = { problems: [{ object, message: 'bad' }], translated: new Set() };
  metrics.pass({ ...report, snapshot: snapshot as never }, false);
  metrics.pass({ ...report, snapshot: undefined }, false);
  const text = await registry.metrics();
  const name = 'ingress_controller_translation';
  expect(text).toContain(`${name}_count{success="false",instance_id="me"} 1\n`);
  expect(text).toContain(`${name}_count{success="true",instance_id="me"} 1\n`);
  expect(text).toContain(`${name}_broken_resource_count{instance_id="me"} 1\n`);
  expect(text).toContain('processed_config_snapshot_cache_hit{instance_id="me"} 2\n');
});
