import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Gateway } from '@waygate/gateway';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CrashServer, collection, Follower, type Stored, send } from '../apiserver/crash.ts';

/** A disk of its own, small enough to be filled. Only root can have one. */
const canMount = process.platform === 'linux' && process.getuid?.() === 0;

let disk: string;

beforeEach(() => {
  disk = mkdtempSync(join(tmpdir(), 'waygate-full-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', disk]);
  if (canMount) expect(mounted.status, String(mounted.stderr)).toBe(0);
});

afterEach(() => {
  if (canMount) spawnSync('umount', ['-l', disk]);
  rmSync(disk, { recursive: true, force: true });
});

const filler = () => join(disk, 'filler');

function fill(): void {
  const file = openSync(filler(), 'a');
  try {
    for (;;) writeSync(file, Buffer.alloc(4096, 1));
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
  } finally {
    closeSync(file);
  }
}

const map = (name: string, size: number) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { fill: 'x'.repeat(size) },
});

test.skipIf(!canMount)(
  'the API refuses writes on a full disk, serves on, heals, and keeps what it acknowledged',
  async () => {
    const agent = new Agent({ keepAlive: true });
    let server = new CrashServer();
    let url = await server.serve(join(disk, 'data'));
    const acknowledged = new Set<string>();
    const create = async (name: string, size: number) => {
      const { status, body } = await send(agent, 'POST', `${url}${collection}`, map(name, size));
      if (status === 201) acknowledged.add(name);
      return { status, body: body as { reason?: string; message?: string } };
    };
    const ready = async () => (await fetch(`${url}/readyz`)).status;
    try {
      expect((await create('first', 1000)).status).toBe(201);
      const { body: list } = await send(agent, 'GET', `${url}${collection}`);
      const follower = new Follower(
        (list as { metadata: { resourceVersion: string } }).metadata.resourceVersion,
      );
      await follower.open(url);
      for (let round = 0; round < 3; round++) {
        fill();
        const refused = await expectRefusal(create, round);
        expect(refused.body.reason).toBe('InsufficientStorage');
        expect(refused.body.message).toMatch(/no space/);
        expect(await ready()).toBe(500);
        expect((await fetch(`${url}/livez`)).status).toBe(200);
        const { status } = await send(agent, 'GET', `${url}${collection}/first`);
        expect(status).toBe(200);
        rmSync(filler());
        expect((await create(`healed-${round}`, 1000)).status).toBe(201);
        await expect.poll(ready).toBe(200);
        await expect
          .poll(() =>
            follower.events.some(({ object }) => object.metadata.name === `healed-${round}`),
          )
          .toBe(true);
      }
      // Nobody writes: it heals all the same.
      fill();
      await expectRefusal(create, 9);
      rmSync(filler());
      await expect.poll(ready).toBe(200);
      follower.close();
      await server.kill();
      fill();
      server = new CrashServer();
      url = await server.serve(join(disk, 'data'));
      const { body } = await send(agent, 'GET', `${url}${collection}`);
      const found = new Set(
        (body as { items: Stored[] }).items.map(({ metadata }) => metadata.name),
      );
      found.delete('kube-root-ca.crt');
      expect(found).toEqual(acknowledged);
    } finally {
      agent.destroy();
      await server.kill();
    }
  },
  60_000,
);

/** Writes until there is no room: what fits into the last page of a file may still go through. */
async function expectRefusal<T extends { readonly status: number }>(
  create: (name: string, size: number) => Promise<T>,
  round: number,
): Promise<T> {
  for (let index = 0; index < 50; index++) {
    const answer = await create(`round-${round}-${index}`, 20_000);
    if (answer.status !== 201) {
      expect(answer.status).toBe(507);
      return answer;
    }
  }
  throw new Error('the disk was never full');
}

test.skipIf(!canMount)(
  'the gateway refuses changes on a full disk, routes on as before, and heals',
  async () => {
    const directory = join(disk, 'data');
    const options = {
      mode: 'database',
      directory,
      proxy: [{ host: '127.0.0.1', port: 0 }],
    } as const;
    const gateway = new Gateway(options);
    const { proxy, admin } = await gateway.start();
    const call = async (method: string, path: string, body?: object) => {
      const answer = await fetch(`http://127.0.0.1:${admin?.port}${path}`, {
        method,
        headers: { 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.status, text: await answer.text() };
    };
    const ask = async (path: string) =>
      (await fetch(`http://127.0.0.1:${proxy[0]?.port}${path}`)).status;
    const plugin = { name: 'request-termination', config: { status_code: 418 } };
    try {
      await call('PUT', '/services/s', { host: '127.0.0.1', port: 9 });
      await call('PUT', '/services/s/routes/kept', { paths: ['/kept'] });
      expect((await call('POST', '/services/s/plugins', plugin)).status).toBe(201);
      expect(await ask('/kept')).toBe(418);
      fill();
      const tags = Array.from({ length: 300 }, (_, index) => `tag-${index}-${'x'.repeat(60)}`);
      const wanted = { paths: ['/new'], tags };
      const refused = await call('PUT', '/services/s/routes/new', wanted);
      expect(refused.status, refused.text).toBe(507);
      expect(refused.text).toMatch(/no space/);
      expect((await call('PATCH', '/routes/kept', { paths: ['/else'], tags })).status).toBe(507);
      expect((await call('GET', '/routes/kept')).text).toContain('"/kept"');
      expect((await call('GET', '/routes/new')).status).toBe(404);
      expect(await ask('/kept')).toBe(418);
      expect(await ask('/new')).toBe(404);
      expect((await call('GET', '/status')).text).toContain('"reachable":false');
      expect((await call('GET', '/metrics')).text).toMatch(/^kong_datastore_reachable 0$/mu);
      rmSync(filler());
      expect((await call('PUT', '/services/s/routes/new', wanted)).status).toBe(200);
      expect(await ask('/new')).toBe(418);
      expect((await call('GET', '/status')).text).toContain('"reachable":true');
      expect((await call('GET', '/metrics')).text).toMatch(/^kong_datastore_reachable 1$/mu);
    } finally {
      await gateway.stop();
    }
    const again = new Gateway(options);
    await again.start();
    expect(again.store.count('routes')).toBe(2);
    await again.stop();
  },
  60_000,
);
