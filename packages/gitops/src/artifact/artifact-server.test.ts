import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Artifact } from '../api/source-objects.ts';
import { ArtifactServer } from './artifact-server.ts';
import { ArtifactStorage } from './artifact-storage.ts';

let directory: string;
let storage: ArtifactStorage;
let stopping: AbortController;
let running: Promise<void>;
let artifact: Artifact;
const name = { kind: 'GitRepository', namespace: 'default', name: 'shop' };
const bytes = Buffer.from('0123456789');

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'waygate-artifacts-'));
  storage = new ArtifactStorage({ directory });
  stopping = new AbortController();
  await new Promise<void>((resolve) => {
    running = new ArtifactServer(storage).run(stopping.signal, resolve);
  });
  artifact = await storage.publishBytes({ ...name, file: 'one' }, 'main@sha1:1', bytes);
});

afterEach(async () => {
  stopping.abort();
  await running;
  rmSync(directory, { recursive: true, force: true });
});

const get = (headers: Record<string, string> = {}, method = 'GET') =>
  fetch(artifact.url, { headers, method });

test('gives the whole, with what is needed to ask again', async () => {
  const response = await get();
  expect(response.status).toBe(200);
  expect(await response.text()).toBe('0123456789');
  expect(response.headers.get('accept-ranges')).toBe('bytes');
  const etag = response.headers.get('etag') ?? '';
  const modified = response.headers.get('last-modified') ?? '';
  expect(etag).toMatch(/^"[0-9a-f-]+"$/);
  expect((await get({ 'if-none-match': etag })).status).toBe(304);
  expect((await get({ 'if-none-match': `"other", W/${etag}` })).status).toBe(304);
  expect((await get({ 'if-none-match': '"other"' })).status).toBe(200);
  expect((await get({ 'if-modified-since': modified })).status).toBe(304);
  expect((await get({ 'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' })).status).toBe(200);
  const head = await get({}, 'HEAD');
  expect(head.status).toBe(200);
  expect(head.headers.get('content-length')).toBe('10');
});

test.each([
  ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
  ['bytes=7-', 206, '789', 'bytes 7-9/10'],
  ['bytes=-3', 206, '789', 'bytes 7-9/10'],
  ['bytes=-30', 206, '0123456789', 'bytes 0-9/10'],
  ['bytes=8-99', 206, '89', 'bytes 8-9/10'],
  ['bytes=10-', 416, '', 'bytes */10'],
  ['bytes=5-2', 416, '', 'bytes */10'],
  ['bytes=-0', 416, '', 'bytes */10'],
  ['bytes=0-1,3-4', 200, '0123456789', null],
  ['lines=1-2', 200, '0123456789', null],
])('%s', async (range, status, text, shown) => {
  const response = await get({ range });
  expect(response.status).toBe(status);
  expect(await response.text()).toBe(text);
  expect(response.headers.get('content-range')).toBe(shown);
});

test('a range of what has changed since is the whole', async () => {
  const response = await get({ range: 'bytes=2-4', 'if-range': '"another"' });
  expect(response.status).toBe(200);
  expect(await response.text()).toBe('0123456789');
});

test('gives artifacts and nothing else', async () => {
  writeFileSync(join(directory, 'secret.tar.gz'), 'no');
  const { port } = new URL(artifact.url);
  const statusOf = (path: string, method = 'GET') =>
    new Promise<number | undefined>((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port, path, method }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asked.once('error', reject).end();
    });
  for (const path of [
    '/',
    '/secret.tar.gz',
    '/gitrepository/default/shop/',
    '/gitrepository/default/shop/two.tar.gz',
    '/gitrepository/default/../../secret.tar.gz',
    '/gitrepository/default/shop/..%2f..%2f..%2fsecret.tar.gz',
    '/gitrepository/default/shop/%2e%2e/x.tar.gz',
    '/gitrepository/default/shop/%00.tar.gz',
    '/%ff/a/b/c.tar.gz',
  ]) {
    expect(await statusOf(path), path).toBe(404);
  }
  expect(await statusOf(new URL(artifact.url).pathname, 'DELETE')).toBe(405);
});

test('the newest can always be had at one address', async () => {
  const url = await storage.link(artifact);
  expect(url).toBe(`${storage.baseUrl}/gitrepository/default/shop/latest.tar.gz`);
  expect(await (await fetch(url)).text()).toBe('0123456789');
  const next = await storage.publishBytes({ ...name, file: 'two' }, 'r2', Buffer.from('two'));
  expect(await storage.link(next)).toBe(url);
  expect(await (await fetch(url)).text()).toBe('two');
});

test('what is no longer what it was is not served, and whoever made it is told', async () => {
  const damaged: string[] = [];
  storage.onDamaged = (path) => damaged.push(path);
  await storage.link(artifact);
  const latest = artifact.url.replace(/[^/]+$/, 'latest.tar.gz');
  expect((await fetch(artifact.url)).status).toBe(200);
  writeFileSync(storage.onDisk(artifact.path), '0123456788');
  expect((await fetch(artifact.url)).status).toBe(404);
  expect((await fetch(latest)).status).toBe(404);
  expect(damaged).toEqual([artifact.path, artifact.path.replace(/[^/]+$/, 'latest.tar.gz')]);
  // A storage that was started on what others left knows what it must be once its source was looked at.
  const later = new ArtifactStorage({ directory });
  expect(await later.verify(artifact)).toBe('mismatch');
  writeFileSync(storage.onDisk(artifact.path), '0123456789');
  expect((await fetch(artifact.url)).status).toBe(200);
});
