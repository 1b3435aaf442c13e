import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Gateway } from './gateway.ts';

const run = promisify(execFile);
const isThere = (program: string) => spawnSync(program, ['--version']).error === undefined;

let backend: Server;
let backendPort: number;
let directory: string;

beforeAll(async () => {
  backend = createServer((request, reply) => reply.end(`${request.method} ${request.url}`));
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  backendPort = (backend.address() as AddressInfo).port;
  directory = await mkdtemp(join(tmpdir(), 'waygate-gateway-'));
});

afterAll(async () => {
  backend.closeAllConnections();
  await new Promise((resolve) => backend.close(resolve));
  await rm(directory, { recursive: true, force: true });
});

const simple = () => ({
  _format_version: '3.0',
  services: [
    { name: 's', host: '127.0.0.1', port: backendPort, routes: [{ name: 'r', paths: ['/x'] }] },
  ],
});

describe.runIf(isThere('deck'))('decK', () => {
  test('syncs, finds no difference, dumps the same again, and resets', async () => {
    const gateway = new Gateway({ mode: 'database' });
    try {
      const { admin, proxy } = await gateway.start();
      const address = `http://127.0.0.1:${admin?.port}`;
      const deck = (...words: string[]) =>
        run('deck', [...words, '--kong-addr', address], {
          env: { ...process.env, DECK_ANALYTICS: 'off' },
        });
      const file = join(directory, 'kong.json');
      const document = {
        ...simple(),
        consumers: [{ username: 'alice', keyauth_credentials: [{ key: 'k1' }] }],
        plugins: [{ name: 'correlation-id', config: { header_name: 'X-Id' } }],
        upstreams: [{ name: 'u', targets: [{ target: '10.0.0.1:80', weight: 5 }] }],
      };
      await writeFile(file, JSON.stringify(document));
      await deck('sync', '--state', file);
      const answer = await fetch(`http://127.0.0.1:${proxy[0]?.port}/x/1`);
      expect(await answer.text()).toBe('GET /x/1');
      // The decK of Debian knows the defaults of an older Kong, so what it wrote itself is compared.
      const dumped = join(directory, 'dumped.yaml');
      await deck('dump', '--output-file', dumped);
      const diff = () => deck('diff', '--state', dumped, '--non-zero-exit-code');
      expect((await diff()).stdout).toMatch(/Created: 0\s+Updated: 0\s+Deleted: 0/);
      await deck('reset', '--force');
      expect(gateway.store.count()).toBe(0);
      await deck('sync', '--state', dumped);
      expect((await diff()).stdout).toMatch(/Created: 0\s+Updated: 0\s+Deleted: 0/);
      await deck('reset', '--force');
      expect(gateway.store.count()).toBe(0);
    } finally {
      await gateway.stop();
    }
  });
});

describe('curl', () => {
  test.each([['--http1.1'], ['--http2']])('%s over TLS', async (version) => {
    const gateway = new Gateway({ config: simple() });
    try {
      const { proxy } = await gateway.start();
      const url = `https://127.0.0.1:${proxy[1]?.port}/x/a?b=1`;
      const { stdout } = await run('curl', ['-sk', version, '-w', ' %{http_version}', url]);
      expect(stdout).toBe(`GET /a?b=1 ${version === '--http2' ? '2' : '1.1'}`);
    } finally {
      await gateway.stop();
    }
  });

  test('uploads with Expect: 100-continue', async () => {
    const gateway = new Gateway({ config: simple() });
    try {
      const { proxy } = await gateway.start();
      const file = join(directory, 'large');
      await writeFile(file, Buffer.alloc(3_000_000));
      const url = `http://127.0.0.1:${proxy[0]?.port}/x`;
      const { stdout } = await run('curl', [
        '-sS',
        '-H',
        'Expect: 100-continue',
        '--data-binary',
        `@${file}`,
        url,
      ]);
      expect(stdout).toBe('POST /');
    } finally {
      await gateway.stop();
    }
  });
});

describe('a gateway that is killed', () => {
  test('has all that it confirmed when it is started again', async () => {
    const data = join(directory, 'data');
    const module = fileURLToPath(new URL('../dist/index.js', import.meta.url));
    const start = async () => {
      const script =
        `import { Gateway } from ${JSON.stringify(module)};` +
        `const g = new Gateway({ mode: 'database', directory: ${JSON.stringify(data)}, proxy: [] });` +
        'const { admin } = await g.start(); console.log(admin.port);';
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
      return { child, admin: `http://127.0.0.1:${chunk.toString().trim()}` };
    };
    const first = await start();
    const confirmed: string[] = [];
    const killAt = 40;
    for (let index = 0; index < killAt; index += 1) {
      const answer = await fetch(`${first.admin}/services`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ name: `s${index}`, host: 'h' }),
      });
      expect(answer.status).toBe(201);
      confirmed.push(`s${index}`);
    }
    await fetch(`${first.admin}/services/s0`, { method: 'DELETE' });
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    const second = await start();
    try {
      const list = (await (await fetch(`${second.admin}/services?size=1000`)).json()) as {
        data: { name: string }[];
      };
      const names = list.data.map((service) => service.name).sort();
      expect(names).toEqual(confirmed.slice(1).sort());
    } finally {
      second.child.kill('SIGKILL');
      await once(second.child, 'exit');
    }
  });
});
