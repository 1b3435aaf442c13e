import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runInProcess } from '../run-in-process.ts';

const manifests = `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: shop, annotations: { konghq.com/plugins: missing } }
spec:
  ingressClassName: kong
  rules:
    - host: shop.example.com
      http:
        paths:
          - { path: /, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }
---
apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: Service
    metadata: { name: web }
    spec: { ports: [{ port: 80, targetPort: 8080 }] }
`;

describe('waygate translate', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'waygate-translate-'));
    writeFileSync(join(directory, 'shop.yaml'), manifests);
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  test('prints the configuration on stdout and problems on stderr', async () => {
    const result = await runInProcess(['translate', '-f', directory]);
    expect(result.exitCode).toBe(0);
    expect(result.stdout).toContain('name: default.shop.web.shop.example.com.80');
    expect(result.stderr).toBe(
      'Ingress default/shop: referenced KongPlugin or KongClusterPlugin "missing" does not exist\n',
    );
  });

  test('fails on problems when asked to', async () => {
    const result = await runInProcess(['translate', '-f', 'shop.yaml', '--strict'], {
      cwd: directory,
    });
    expect(result.exitCode).toBe(1);
  });

  test('reads stdin, prints JSON, and speaks the old names', async () => {
    const legacy = manifests
      .replace('networking.k8s.io/v1', 'networking.k8s.io/v1beta1')
      .replace(
        '{ service: { name: web, port: { number: 80 } } }',
        '{ serviceName: web, servicePort: 80 }',
      );
    const result = await runInProcess(
      ['translate', '-f', '-', '--naming=legacy', '--output=json'],
      { stdin: legacy },
    );
    const { services, _format_version } = JSON.parse(result.stdout);
    expect(_format_version).toBe('1.1');
    expect(services[0].routes[0].name).toBe('default.shop.00');
  });

  test('says which file it cannot read', async () => {
    const result = await runInProcess(['translate', '-f', 'nothing.yaml'], { cwd: directory });
    expect(result.exitCode).toBe(64);
    expect(result.stderr).toContain('cannot read nothing.yaml');
  });

  test('takes feature gates, and knows which there are', async () => {
    const gated = manifests.replace('konghq.com/plugins: missing', 'konghq.com/rewrite: /x');
    writeFileSync(join(directory, 'shop.yaml'), gated);
    const without = await runInProcess(['translate', '-f', directory]);
    expect(without.stderr).toContain('rewrite');
    const args = ['translate', '-f', directory, '--feature-gates'];
    const { stdout, stderr } = await runInProcess([...args, 'RewriteURIs=true']);
    expect(stderr).toBe('');
    expect(stdout).toContain('name: request-transformer');
    const wrong = await runInProcess([...args, 'Rewrite=true']);
    expect(wrong.exitCode).toBe(64);
    expect(wrong.stderr).toContain('there is no feature gate Rewrite');
  });

  test('says beforehand what our own gateway cannot run', async () => {
    const manifests = (plugin: string) => `
apiVersion: configuration.konghq.com/v1
kind: KongClusterPlugin
metadata: { name: p, labels: { global: 'true' }, annotations: { kubernetes.io/ingress.class: kong } }
plugin: ${plugin}
config: { allow_patterns: [x] }
`;
    const told = await runInProcess(['translate', '-f', '-'], {
      stdin: manifests('ai-prompt-guard'),
    });
    expect(told.stderr).toContain("cannot run the plugin 'ai-prompt-guard'");
    expect(told.exitCode).toBe(0);
    for (const plugin of ['key-auth', 'ai-prompt-guard\ndisabled: true']) {
      const fine = await runInProcess(['translate', '-f', '-'], { stdin: manifests(plugin) });
      expect(fine.stderr).not.toContain('cannot run');
    }
  });
});
