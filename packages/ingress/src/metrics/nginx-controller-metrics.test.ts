import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { nginxFallbackCertificate } from '../controller/nginx-certificate.ts';
import { resolveNginxOptions } from '../translate/nginx/options.ts';
import { NginxControllerMetrics } from './nginx-controller-metrics.ts';
import { nginxMetricTable } from './nginx-metric-table.ts';
import { nginxOrphans } from './nginx-orphans.ts';

const options = resolveNginxOptions({ metrics: { namespace: 'ingress', pod: 'one' } });

test('says in ingress-nginx’ words whether the configuration is in force', async () => {
  const registry = new Registry();
  const metrics = new NginxControllerMetrics(registry, options);
  const dataplane = 'http://kong';
  metrics.push({ dataplane, durationMs: 1, bytes: 1, brokenCount: 0 }, 5_000);
  metrics.push(
    { dataplane, durationMs: 1, bytes: 1, brokenCount: 1, error: new Error('x') },
    9_000,
  );
  const text = await registry.metrics();
  const place =
    'controller_class="k8s.io/ingress-nginx",controller_namespace="ingress",controller_pod="one"';
  const line = (name: string, value: number) =>
    `nginx_ingress_controller_${name}{${place}} ${value}`;
  expect(text).toContain(line('config_last_reload_successful', 0));
  expect(text).toContain(line('config_last_reload_successful_timestamp_seconds', 5));
  expect(text).toContain(line('success', 1));
  expect(text).toContain(line('errors', 1));
});

test('says when certificates end, and forgets those that are gone', async () => {
  const registry = new Registry();
  const metrics = new NginxControllerMetrics(registry, options);
  const pair = await nginxFallbackCertificate();
  const tags = ['k8s-name:tls', 'k8s-namespace:shop', 'k8s-kind:Secret'];
  const pass = (hosts: readonly string[]) => {
    const snis = hosts.map((name) => ({ name }));
    const certificates = [{ id: '1', ...pair, snis, tags }];
    metrics.pass({ snapshot: { state: { certificates } } as never });
    return registry.metrics();
  };
  const first = await pass(['a.test', '*']);
  expect(first).toMatch(/ssl_expire_time_seconds\{.*secret_name="tls".*host="a\.test".*\} \d{10}/);
  expect(first).toMatch(/ssl_certificate_info\{.*public_key_algorithm="(RSA|ECDSA)".*\} 1/);
  expect(first).not.toContain('host="*"');
  expect(await pass(['b.test'])).not.toContain('a.test');
});

const common =
  'controller_class="k8s.io/ingress-nginx",controller_namespace="ingress",controller_pod="one"';

test('says what the webhook did, and forgets Ingresses that went', async () => {
  const registry = new Registry();
  const metrics = new NginxControllerMetrics(registry, options);
  metrics.checked('shop', 'web', true, 500);
  metrics.checked('shop', 'bad', false, 250);
  metrics.checked('shop', 'bad', false, 250);
  const text = await registry.metrics();
  expect(text).toContain(`check_success{${common},namespace="shop",ingress="web"} 1`);
  expect(text).toContain(`check_errors{${common},namespace="shop",ingress="bad"} 2`);
  expect(text).toContain(`admission_tested_ingresses{${common}} 1`);
  expect(text).toContain(`admission_roundtrip_duration{${common}} 0.25`);
  const gone = { apiVersion: 'x', kind: 'Ingress', metadata: { namespace: 'shop', name: 'bad' } };
  metrics.pass({ removed: [gone] });
  const after = await registry.metrics();
  expect(after).not.toContain('ingress="bad"');
  expect(after).toContain('ingress="web"');
});

test('says who leads, and which Ingresses lead nowhere, as it is when it is asked', async () => {
  const registry = new Registry();
  let isLeader = false;
  const objects: Record<string, object[]> = {
    IngressClass: [{ metadata: { name: 'nginx' }, spec: { controller: 'k8s.io/ingress-nginx' } }],
    Ingress: ['web', 'lost', 'idle', 'kong'].map((name) => ({
      metadata: { namespace: 'shop', name },
      spec: {
        ingressClassName: name === 'kong' ? 'kong' : 'nginx',
        rules: [{ http: { paths: [{ backend: { service: { name, port: { number: 80 } } } }] } }],
      },
    })),
    Service: ['web', 'idle'].map((name) => ({ metadata: { namespace: 'shop', name } })),
  };
  const reader = {
    list: (kind: string) => objects[kind] ?? [],
    get: (kind: string, namespace: string, name: string) =>
      (objects[kind] as { metadata: { namespace?: string; name: string } }[] | undefined)?.find(
        ({ metadata }) => metadata.name === name && (metadata.namespace ?? '') === namespace,
      ),
  };
  const upstreams = [
    { name: 'nginx.shop.web.80', targets: [{ target: '10.0.0.1:80' }] },
    { name: 'nginx.shop.idle.80' },
  ];
  new NginxControllerMetrics(registry, options, {
    orphans: () => nginxOrphans(reader as never, upstreams as never, options),
    isLeader: () => isLeader,
    lease: 'lease',
  });
  const row = (ingress: string, type: string, value: number) =>
    `orphan_ingress{${common},namespace="shop",ingress="${ingress}",type="${type}"} ${value}`;
  const before = await registry.metrics();
  for (const [ingress, service, endpoint] of [
    ['web', 0, 0],
    ['lost', 1, 0],
    ['idle', 0, 1],
  ] as const) {
    expect(before).toContain(row(ingress, 'no-service', service));
    expect(before).toContain(row(ingress, 'no-endpoint', endpoint));
  }
  expect(before).not.toContain('ingress="kong"');
  expect(before).toContain(`leader_election_status{${common},name="lease"} 0`);
  isLeader = true;
  objects.Ingress?.shift();
  const after = await registry.metrics();
  expect(after).toContain(`leader_election_status{${common},name="lease"} 1`);
  expect(after).not.toContain('ingress="web"');
});

test('the table names just what there is', () => {
  const registry = new Registry();
  const sources = { orphans: () => [], isLeader: () => true, lease: 'lease' };
  new NginxControllerMetrics(registry, options, sources);
  const told = nginxMetricTable.filter(({ where }) => where === 'controller');
  const names = told.map(({ name }) => `nginx_ingress_controller_${name}`);
  expect(
    registry
      .getMetricsAsArray()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(names.sort());
});
