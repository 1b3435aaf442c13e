import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Gateway } from '@waygate/gateway';
import { parseYaml } from '@waygate/text';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const run = promisify(execFile);
const hasDeck = spawnSync('deck', ['version']).status === 0;
const examples = fileURLToPath(new URL('../examples/gateway/', import.meta.url));
const files = (await readdir(examples)).filter((name) => name.endsWith('.yaml')).sort();

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'waygate-examples-'));
});

afterAll(() => rm(directory, { recursive: true, force: true }));

test('there are examples', () => {
  expect(files).toEqual(['canary.yaml', 'hello.yaml', 'keys-and-limits.yaml']);
});

describe.runIf(hasDeck)('the real decK', () => {
  test.each(files)('syncs %s, finds no difference, dumps it and resets', async (name) => {
    const gateway = new Gateway({ mode: 'database', proxy: [] });
    try {
      const { admin } = await gateway.start();
      const deck = (...words: string[]) =>
        run('deck', [...words, '--kong-addr', `http://127.0.0.1:${admin?.port}`], {
          env: { ...process.env, DECK_ANALYTICS: 'off' },
        });
      const nothing = /Created: 0\s+Updated: 0\s+Deleted: 0/;
      await deck('sync', '--state', join(examples, name));
      expect(gateway.store.count()).toBeGreaterThan(0);
      // The decK of Debian knows the defaults of an older Kong, so what it wrote itself is compared.
      const dumped = join(directory, name);
      await deck('dump', '--output-file', dumped);
      const diff = () => deck('diff', '--state', dumped, '--non-zero-exit-code');
      expect((await diff()).stdout).toMatch(nothing);
      await deck('reset', '--force');
      expect(gateway.store.count()).toBe(0);
      await deck('sync', '--state', dumped);
      expect((await diff()).stdout).toMatch(nothing);
      await deck('reset', '--force');
      expect(gateway.store.count()).toBe(0);
    } finally {
      await gateway.stop();
    }
  });
});

describe('without a database', () => {
  let backends: Server[];

  /** The examples name their ports; here each backend takes any free one. */
  async function start(name: string) {
    backends = ['stable', 'canary'].map((release) =>
      createServer((request, reply) =>
        reply.end(`${release} ${request.url} ${request.headers['x-release'] ?? ''}`),
      ),
    );
    let text = await readFile(join(examples, name), 'utf8');
    for (const [index, backend] of backends.entries()) {
      await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
      const { port } = backend.address() as { port: number };
      text = text.replaceAll(`:900${index + 1}`, `:${port}`);
    }
    const gateway = new Gateway({ config: parseYaml(text) as object, admin: false });
    const { proxy } = await gateway.start();
    return { gateway, port: proxy[0]?.port ?? 0 };
  }

  async function stop(gateway: Gateway) {
    await gateway.stop();
    for (const backend of backends) {
      backend.closeAllConnections();
      await new Promise((resolve) => backend.close(resolve));
    }
  }

  const curl = async (port: number, path: string, ...words: string[]) =>
    (await run('curl', ['-sS', ...words, `http://127.0.0.1:${port}${path}`])).stdout;

  test('hello.yaml answers', async () => {
    const { gateway, port } = await start('hello.yaml');
    expect(await curl(port, '/hello')).toBe('Hello from the gateway.\n');
    await stop(gateway);
  });

  test('keys-and-limits.yaml asks for keys, and keeps staff apart', async () => {
    const { gateway, port } = await start('keys-and-limits.yaml');
    const status = ['-o', '/dev/null', '-w', '%{http_code}'];
    expect(await curl(port, '/orders', ...status)).toBe('401');
    expect(await curl(port, '/orders/1', '-H', 'apikey: alice-key')).toBe('stable /api/1 ');
    expect(await curl(port, '/orders/admin', '-H', 'apikey: alice-key', ...status)).toBe('403');
    expect(await curl(port, '/orders/admin', '-H', 'apikey: bob-key')).toBe('stable /api ');
    const head = await curl(port, '/orders', '-I', '-X', 'GET', '-H', 'apikey: bob-key');
    expect(head).toMatch(/x-ratelimit-limit-minute: 600/i);
    expect(head).toMatch(/x-request-id: [0-9a-f-]{36}/i);
    await stop(gateway);
  });

  test('canary.yaml sends testers to the canary, and a tenth of the others', async () => {
    const { gateway, port } = await start('canary.yaml');
    const host = ['-H', 'Host: shop.example.com'];
    expect(await curl(port, '/checkout/x', ...host, '-H', 'X-Tester: yes')).toBe('canary /x ');
    const urls = Array.from({ length: 20 }, () => `http://127.0.0.1:${port}/checkout`);
    const { stdout } = await run('curl', ['-sS', ...host, '-w', '\\n', ...urls]);
    const lines = stdout.trim().split('\n');
    expect(lines.filter((line) => line.startsWith('canary'))).toHaveLength(2);
    expect(lines.filter((line) => line === 'stable / stable')).toHaveLength(18);
    await stop(gateway);
  });
});
