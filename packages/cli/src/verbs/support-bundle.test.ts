import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { startTestServer, type TestServer } from '@waygate/apiserver';
import { customResourceDefinitions, unpack } from '@waygate/gitops';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runInProcess } from '../run-in-process.ts';
import { SecretMask } from '../support/secret-mask.ts';

const canary = 'C4N4RY-v4lue-of-a-secret';
const environmentSecret = 'another-secret-of-the-environment';
const key = `-----BEGIN PRIVATE KEY-----\n${'QUJD'.repeat(16)}\n-----END PRIVATE KEY-----\n`;

let server: TestServer;
let front: Server;
let directory: string;

/** Answers what only a kubelet can, and hands on the rest. */
function startFront(target: string): Server {
  const { hostname, port } = new URL(target);
  return createServer((incoming, outgoing) => {
    const path = incoming.url ?? '';
    if (path.includes('/log?')) {
      if (path.includes('previous=true')) outgoing.writeHead(400);
      outgoing.end(
        `reconciled\nurl=https://user:${canary}@git.example/x\nAuthorization: Bearer abcdefgh\nsigned in as ${environmentSecret}\n`,
      );
      return;
    }
    if (path.includes('/proxy/metrics')) {
      outgoing.end(`gotk_resource_info{url="https://me:${canary}@git.example"} 1\n`);
      return;
    }
    const { method, headers } = incoming;
    const onward = request({ hostname, port, path, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
}

beforeAll(async () => {
  server = await startTestServer();
  directory = mkdtempSync(join(tmpdir(), 'waygate-bundle-'));
  front = startFront(server.url);
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  writeFileSync(
    join(directory, 'kubeconfig'),
    server.kubeconfig.replaceAll(server.url, () => url),
  );
  const create = async (path: string, object: object) => {
    const { status, body } = await server.request('POST', path, object);
    expect(status, JSON.stringify(body)).toBe(201);
  };
  for (const definition of customResourceDefinitions())
    await create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  const labels = { 'app.kubernetes.io/name': 'waygate' };
  await create('/api/v1/namespaces/default/secrets', {
    metadata: { name: 'git' },
    data: { password: btoa(canary), 'tls.key': btoa(key) },
  });
  await create('/apis/source.toolkit.fluxcd.io/v1/namespaces/default/gitrepositories', {
    metadata: { name: 'src', annotations: { note: canary } },
    spec: { url: `https://user:${canary}@git.example/x`, interval: '1h' },
  });
  const patch = { status: { conditions: [condition(`failed to fetch ${canary}`)] } };
  const headers = { 'Content-Type': 'application/merge-patch+json' };
  const path = '/apis/source.toolkit.fluxcd.io/v1/namespaces/default/gitrepositories/src/status';
  expect((await server.request('PATCH', path, patch, headers)).status).toBe(200);
  await create('/api/v1/namespaces/default/events', {
    metadata: { name: 'e' },
    involvedObject: { kind: 'GitRepository', namespace: 'default', name: 'src' },
    reason: 'Failed',
    type: 'Warning',
    message: `cannot sign in with ${canary} or ${btoa(canary)}`,
  });
  const container = {
    name: 'controller',
    image: 'waygate:0.1.0',
    args: [
      '--log-format=json',
      `--kong-admin-token=${canary}`,
      '--kong-admin-header=x-key:a-secret-header',
      '--kong-admin-token',
      'a-secret-word',
    ],
    env: [{ name: 'TOKEN', value: environmentSecret }],
    ports: [{ name: 'metrics', containerPort: 8080 }],
  };
  await create('/apis/apps/v1/namespaces/default/deployments', {
    metadata: { name: 'waygate-gitops', labels },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  });
  await create('/api/v1/namespaces/default/pods', {
    metadata: { name: 'waygate-gitops-1', labels },
    spec: { containers: [container] },
  });
});

afterAll(async () => {
  front.closeAllConnections();
  front.close();
  await server.stop();
  rmSync(directory, { recursive: true });
});

const condition = (message: string) => ({
  type: 'Ready',
  status: 'False',
  reason: 'Failed',
  message,
  lastTransitionTime: '2026-01-02T03:04:05Z',
});

test('the bundle has what helps, and no secret wherever it was planted', async () => {
  const file = join(directory, 'bundle.tar.gz');
  const config = join(directory, 'kubeconfig');
  const { exitCode, stderr, stdout } = await runInProcess([
    ...['support-bundle', '--kubeconfig', config, '-f', file],
  ]);
  expect(exitCode, stderr).toBe(0);
  expect(stdout).toContain('bundle.tar.gz');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const archive = readFileSync(file);
  const whole = gunzipSync(archive).toString('latin1');
  for (const secret of [
    canary,
    btoa(canary),
    'QUJDQUJD',
    'abcdefgh',
    'another-secret',
    'a-secret-',
  ])
    expect(whole).not.toContain(secret);
  const tree = await unpack(archive);
  const text = (path: string) => Buffer.from(tree.read(path)).toString('utf8');
  expect(text('objects/gitrepositories.source.toolkit.fluxcd.io.json')).toContain(
    'failed to fetch ***',
  );
  expect(text('events.txt')).toContain('Warning Failed GitRepository default/src');
  expect(text('deployments.json')).toContain('--log-format=json');
  expect(text('logs/default/waygate-gitops-1/controller.log')).toContain('reconciled');
  expect(text('metrics/default/waygate-gitops-1.txt')).toContain('gotk_resource_info');
  expect(text('not-collected.txt')).toContain('controller.previous.log');
  expect(JSON.parse(text('program.json'))).toMatchObject({ node: process.version });
});

test('a second one takes the place of the first, whole and for its owner alone', async () => {
  const file = join(directory, 'again.tar.gz');
  writeFileSync(file, 'the one before', { mode: 0o644 });
  const config = join(directory, 'kubeconfig');
  const { exitCode } = await runInProcess([
    ...['support-bundle', '--kubeconfig', config, '-f', file],
  ]);
  expect(exitCode).toBe(0);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await unpack(readFileSync(file))).read('program.json').length).toBeGreaterThan(0);
});

test.each([
  ['a directory that is not there', 'nowhere/bundle.tar.gz', 'ENOENT'],
  ['what is a directory', '.', 'no file'],
])('%s is no place for one, and nothing is left behind', async (_what, file, why) => {
  const before = readdirSync(directory);
  const { exitCode, stderr } = await runInProcess([
    ...['support-bundle', '--kubeconfig', join(directory, 'kubeconfig')],
    ...['-f', join(directory, file)],
  ]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain('cannot be written');
  expect(stderr).toContain(why);
  expect(stderr).toContain('-f names another place');
  expect(readdirSync(directory)).toEqual(before);
});

test('when the cluster does not answer, the one before stays', async () => {
  const file = join(directory, 'kept.tar.gz');
  writeFileSync(file, 'the one before');
  const config = join(directory, 'nobody');
  writeFileSync(
    config,
    server.kubeconfig.replaceAll(server.url, () => 'http://127.0.0.1:1'),
  );
  const before = readdirSync(directory);
  await runInProcess(['support-bundle', '--kubeconfig', config, '-f', file]);
  expect(readFileSync(file, 'utf8')).toBe('the one before');
  expect(readdirSync(directory)).toEqual(before);
});

describe('what is masked', () => {
  const mask = new SecretMask();
  mask.add('hunter22');
  mask.add('hunter22-longer');
  mask.add('short');

  test.each([
    ['say hunter22 and hunter22-longer', 'say *** and ***'],
    ['short words stay', 'short words stay'],
    ['https://u:p@host/x', 'https://***@host/x'],
    ['Authorization: Bearer abc.def-123', 'Authorization: Bearer ***'],
    ['password=abc123&x=1', 'password=***&x=1'],
    ['"token": "abc123"', '"token": "***"'],
    [`POST /hook/${'0a'.repeat(32)} 200`, 'POST /hook/*** 200'],
    ['the token is wrong', 'the token is wrong'],
    ['', ''],
  ])('%j', (text, expected) => {
    expect(mask.mask(text)).toBe(expected);
  });
});
