import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AdminClient } from '@waygate/kong';
import { systemClock } from '@waygate/runtime';
import { afterEach, expect, test } from 'vitest';
import type { RouteRow } from '../protocol/routes.ts';
import { View } from '../view/view.ts';
import { GatewayFeed } from './gateway-feed.ts';

const closing: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** An Admin API in which every route has a service and an upstream of its own; what is asked about waits. */
class Kong {
  readonly names: string[] = [];
  /** What somebody waits for: the names of upstreams whose health was asked for, in order. */
  readonly asked: string[] = [];
  readonly targets = new Map<string, string>();
  isHeld = true;
  most = 0;
  readonly #waiting: { readonly name: string; readonly response: ServerResponse }[] = [];

  async listen(): Promise<AdminClient> {
    const server = createServer((request, response) => {
      const path = new URL(request.url ?? '', 'http://kong').pathname;
      const [, collection = '', name = '', health] = path.split('/');
      if (health !== 'health')
        return void response.end(JSON.stringify({ data: this.#all(collection) }));
      this.asked.push(name);
      this.#waiting.push({ name, response });
      this.most = Math.max(this.most, this.#waiting.length);
      if (!this.isHeld) this.release();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = new AdminClient({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    });
    closing.push(
      () => new Promise((resolve) => server.close(resolve)),
      () => server.closeAllConnections(),
      () => client.close(),
    );
    return client;
  }

  release(): void {
    for (const { name, response } of this.#waiting.splice(0)) {
      const state = this.targets.get(name);
      const target = { id: `t-${name}`, target: '10.0.0.1:80', weight: 100, health: state };
      const data = state === undefined ? [] : [{ ...target, upstream: { id: `u-${name}` } }];
      response.end(JSON.stringify({ data }));
    }
  }

  #all(collection: string): object[] {
    if (collection === 'routes')
      return this.names.map((name) => ({ id: `r-${name}`, name, service: { id: `s-${name}` } }));
    if (collection === 'services')
      return this.names.map((name) => ({ id: `s-${name}`, name, host: name, protocol: 'http' }));
    if (collection === 'upstreams') return this.names.map((name) => ({ id: `u-${name}`, name }));
    return [];
  }
}

/** The feed on a Kong, and the routes as pages would show them. */
async function follow(kong: Kong) {
  const client = await kong.listen();
  const view = new View({ objectOf: () => undefined, now: () => 0 });
  const stop = new AbortController();
  const feed = new GatewayFeed({
    client: () => client,
    view,
    clock: systemClock,
    onChanges: () => {},
    onTouch: () => {},
  });
  const running = feed.run(stop.signal);
  closing.push(
    () => running,
    () => stop.abort(),
  );
  const rows = new Map<string, RouteRow>();
  const healthOf = (name: string) => {
    while (view.hasChanges)
      for (const [id, row] of view.settle(1_000).routes) if (row) rows.set(id, row.item);
    return rows.get(`r-${name}`)?.health;
  };
  return { feed, healthOf };
}

test('what was not asked about yet is no outage; many are asked about at once, never too many', async () => {
  const kong = new Kong();
  kong.names.push(...Array.from({ length: 40 }, (_, at) => `a${at}`));
  for (const name of kong.names) kong.targets.set(name, name === 'a7' ? 'UNHEALTHY' : 'HEALTHY');
  kong.targets.delete('a8');
  const { feed, healthOf } = await follow(kong);
  await expect.poll(() => kong.asked.length).toBe(16);
  expect(['a0', 'a7', 'a8', 'a39'].map(healthOf)).toEqual(Array(4).fill('unknown'));
  kong.isHeld = false;
  kong.release();
  await feed.hasTried;
  expect(kong.most).toBe(16);
  expect(new Set(kong.asked).size).toBe(40);
  expect(kong.asked.length).toBe(40);
  expect(['a0', 'a7', 'a8', 'a39'].map(healthOf)).toEqual([
    'healthy',
    'degraded',
    'degraded',
    'healthy',
  ]);
});

test('a new upstream is asked about before its turn, and one that lost its last target is found out', async () => {
  const kong = new Kong();
  kong.isHeld = false;
  kong.names.push('old');
  kong.targets.set('old', 'HEALTHY');
  const { feed, healthOf } = await follow(kong);
  await feed.hasTried;
  expect(healthOf('old')).toBe('healthy');
  kong.isHeld = true;
  kong.names.push('new');
  kong.targets.set('new', 'HEALTHY');
  kong.targets.delete('old');
  feed.noteApply();
  await expect.poll(() => kong.asked.includes('new')).toBe(true);
  expect(healthOf('new')).toBe('unknown');
  kong.isHeld = false;
  kong.release();
  await expect.poll(() => healthOf('new')).toBe('healthy');
  await expect.poll(() => healthOf('old')).toBe('degraded');
});
