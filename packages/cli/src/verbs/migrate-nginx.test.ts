import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestServer } from '@waygate/apiserver';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runInProcess } from '../run-in-process.ts';

let directory: string;
const servers: Server[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'waygate-migrate-nginx-'));
  writeFileSync(join(directory, 'shop.yaml'), manifests);
});

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  rmSync(directory, { recursive: true });
});

const ingress = (name: string, annotations: string, path = '/') => `---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: ${name}
  namespace: shop
  annotations:
${annotations}
spec:
  ingressClassName: nginx
  rules:
  - host: ${name}.test
    http:
      paths:
      - {path: "${path}", pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}
`;
const prefix = '    nginx.ingress.kubernetes.io/';
const manifests = `apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: nginx}
spec: {controller: k8s.io/ingress-nginx}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {ports: [{name: http, port: 80}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: controller, namespace: ingress-nginx}
data: {annotations-risk-level: Critical, allow-snippet-annotations: "true", enable-brotli: "true"}
${ingress('plain', `${prefix}ssl-redirect: "false"`, '/app')}
${ingress('partly', `${prefix}proxy-http-version: "1.0"`)}
${ingress('lua', `${prefix}configuration-snippet: "access_by_lua_block { ngx.exit(403) }"`)}
${ingress('guarded', `${prefix}auth-type: basic\n${prefix}auth-secret: users`)}
`;

function migrate(...more: readonly string[]) {
  const from = ['migrate', '--from', 'ingress-nginx', '--configmap', 'ingress-nginx/controller'];
  return runInProcess([...from, '-f', join(directory, 'shop.yaml'), ...more]);
}

async function answering(status: number, headers: Record<string, string>): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status, headers).end());
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('waygate migrate --from ingress-nginx', () => {
  test('says of each Ingress what becomes of it, and of each annotation how often it is used', async () => {
    const { stdout, exitCode } = await migrate('--output', 'json');
    const report = JSON.parse(stdout);
    const verdicts = report.ingresses.map((one: { name: string; verdict: string }) => [
      one.name,
      one.verdict,
    ]);
    expect(Object.fromEntries(verdicts)).toEqual({
      plain: 'same',
      partly: 'but',
      lua: 'cannot',
      guarded: 'same',
    });
    expect(report.summary).toEqual({ same: 2, but: 1, cannot: 1 });
    expect(report.annotations).toContainEqual(
      expect.objectContaining({ name: 'proxy-http-version', count: 1, support: 'partly' }),
    );
    expect(report.settings).toContainEqual(
      expect.objectContaining({ name: 'enable-brotli', support: 'reported' }),
    );
    expect(exitCode).toBe(2);
  });

  test('serves without what is not understood, if the operator says so', async () => {
    const { stdout } = await migrate('--output', 'json', '--ignore-snippets');
    expect(JSON.parse(stdout).summary).toEqual({ same: 2, but: 2, cannot: 0 });
  });

  test('people read it as tables', async () => {
    const { stdout } = await migrate();
    expect(stdout).toMatch(/shop\/partly +same but for/);
    expect(stdout).toContain('4 Ingresses: 2 same, 1 same but for what is named, 1 cannot');
  });

  test('writes Gateway API objects, and no path without its guard', async () => {
    await migrate('--write', join(directory, 'out'));
    const files = ['guarded.yaml', 'partly.yaml', 'plain.yaml'];
    expect(readdirSync(join(directory, 'out', 'shop')).sort()).toEqual(files);
    // Its Secret is missing: in the original its paths are closed, and so they are here.
    expect(readFileSync(join(directory, 'out', 'shop', 'guarded.yaml'), 'utf8')).toContain(
      'status: 503',
    );
    const text = readFileSync(join(directory, 'out', 'shop', 'plain.yaml'), 'utf8');
    expect(text).toContain('kind: HTTPRoute');
    expect(text).toMatch(/type: PathPrefix\n\s+value: \/app\n/);
    expect(text).toContain('plugin: nginx-proxy');
    expect(readFileSync(join(directory, 'out', 'gateway.yaml'), 'utf8')).toContain('kind: Gateway');
  });

  test('asks both for samples, and says where they differ', async () => {
    const type = { 'content-type': 'text/plain' };
    const original = await answering(200, { ...type, 'set-cookie': 'a=1' });
    const ours = await answering(503, type);
    const args = ['--output', 'json', '--verify', original, '--to', ours];
    const { verified } = JSON.parse((await migrate(...args)).stdout);
    expect(verified.asked).toBeGreaterThan(4);
    expect(verified.different).toHaveLength(verified.asked);
    expect(verified.different[0].differences).toEqual([
      'status 200, here 503',
      'cookies "a", here none',
    ]);
    const alike = JSON.parse((await migrate(...args.slice(0, -1), original)).stdout);
    expect(alike.verified.different).toEqual([]);
  });

  test.each([
    [['migrate', '--from', 'kic', '--verify', 'http://x', '--to', 'http://y'], /ingress-nginx/],
    [['migrate', '--from', 'ingress-nginx', '-f', '-', '--verify', 'http://x'], /--to/],
  ])('%j is no such thing', async (args, message) => {
    const { stderr, exitCode } = await runInProcess(args);
    expect(stderr).toMatch(message);
    expect(exitCode).toBe(64);
  });

  test('of a cluster, stops the original and its webhook, and brings them back', async () => {
    const server = await startTestServer();
    try {
      writeFileSync(join(directory, 'kubeconfig'), server.kubeconfig);
      for (const name of ['ingress-nginx', 'waygate-system'])
        await server.request('POST', '/api/v1/namespaces', { metadata: { name } });
      const deployments = '/apis/apps/v1/namespaces/ingress-nginx/deployments';
      const labels = { app: 'x' };
      const image = 'registry.example/ingress-nginx/controller:v1.15.1';
      const containers = [{ name: 'controller', image, args: ['/nginx-ingress-controller'] }];
      await server.request('POST', deployments, {
        metadata: { name: 'controller' },
        spec: {
          replicas: 2,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers } },
        },
      });
      const run = (...more: readonly string[]) =>
        runInProcess([
          ...['migrate', '--from', 'ingress-nginx', '--output', 'json'],
          ...['--kubeconfig', join(directory, 'kubeconfig'), ...more],
        ]);
      const { steps } = JSON.parse((await run('--dry-run')).stdout);
      expect(steps).toEqual([
        expect.objectContaining({ does: expect.stringMatching(/scale .* from 2 to 0/) }),
      ]);
      const replicas = async () =>
        ((await server.request('GET', `${deployments}/controller`)).body as Scaled).spec.replicas;
      expect(await replicas()).toBe(2);
    } finally {
      await server.stop();
    }
  });
});

interface Scaled {
  readonly spec: { readonly replicas: number };
}
