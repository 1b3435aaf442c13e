import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { nginxFallbackCertificate } from '../controller/nginx-certificate.ts';
import { resolveNginxOptions } from '../translate/nginx/options.ts';
import { NginxControllerMetrics } from './nginx-controller-metrics.ts';

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
