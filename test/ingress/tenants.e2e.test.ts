import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import { CertificateAuthority } from '@waygate/apiserver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../until.ts';
import { answer, Stack } from './stack.ts';
import {
  hostileObjects,
  pathOf,
  plainTenantObjects,
  type TenantObject,
  victimObjects,
} from './tenant-objects.ts';

/** How many objects of a tenant are tried in each mode: a thousand on request. */
const count = Number(process.env.WAYGATE_TENANT_OBJECTS ?? 120);
const seed = Number(process.env.WAYGATE_TENANT_SEED ?? 7);
const batchSize = 12;

const requests: readonly { host: string; headers?: Record<string, string> }[] = [
  { host: 'plain.victim.test' },
  { host: 'keyed.victim.test' },
  { host: 'keyed.victim.test', headers: { apikey: 'victim-key' } },
  { host: 'keyed.victim.test', headers: { apikey: 'wrong' } },
  { host: 'basic.victim.test' },
  {
    host: 'basic.victim.test',
    headers: { authorization: `Basic ${btoa('victim-user:victim-password')}` },
  },
  {
    host: 'basic.victim.test',
    headers: { authorization: `Basic ${btoa('victim-user:tenant-password')}` },
  },
  { host: 'group.victim.test', headers: { apikey: 'victim-key' } },
  { host: 'routed.victim.test' },
  { host: 'unknown.test' },
];

describe.each(['dbless', 'database'] as const)('a victim beside a hostile tenant, %s', (mode) => {
  let stack: Stack;
  let proxy = '';
  let admin = '';
  let tlsPort = 0;
  let running: { stop(): Promise<void> };
  let tenantObjects: TenantObject[] = [];

  beforeAll(async () => {
    stack = await Stack.start();
    await stack.installDefinitions();
    const gateway = await stack.gateway({
      mode,
      proxy: [
        { host: '127.0.0.1', port: 0 },
        { host: '127.0.0.1', port: 0, isTls: true },
      ],
    });
    ({ proxy, admin } = gateway);
    tlsPort = gateway.proxyPorts[1] ?? 0;
    const authority = await CertificateAuthority.create(() => Date.now());
    const pairs = {
      victim: await authority.issueServer(['plain.victim.test']),
      tenant: await authority.issueServer(['plain.victim.test']),
    };
    const ports = { victim: await echo('victim'), tenant: await echo('tenant') };
    for (const namespace of ['victim', 'tenant'])
      await stack.create('/api/v1/namespaces', { metadata: { name: namespace } });
    // Some of the tenant's objects are older than the victim's, and turn hostile by a change.
    for (const object of plainTenantObjects(ports.tenant))
      await stack.create(pathOf(object), object);
    tenantObjects = hostileObjects(seed, count, pairs.tenant);
    for (const object of victimObjects(pairs.victim, ports.victim))
      await stack.create(pathOf(object), object);
    start();
    await until('the victim is live', async () => (await look()).every(isSettled));
  });

  afterAll(() => stack.stop());

  function start(): void {
    running = stack.controller({
      kongAdmin: stack.adminClient(admin),
      translate: { isolatesHosts: true },
    });
  }

  async function echo(name: string): Promise<number> {
    const server = createServer((incoming, reply) => {
      const { 'x-consumer-username': consumer, 'x-credential-identifier': credential } =
        incoming.headers;
      reply.setHeader('x-backend', name);
      reply.end(JSON.stringify({ name, url: incoming.url, consumer, credential }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stack.onStop(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return (server.address() as AddressInfo).port;
  }

  /** Creates, or replaces what is there. What the API server refuses does no harm to anybody. */
  async function put(object: TenantObject): Promise<void> {
    const path = pathOf(object);
    const { status, body } = await stack.server.request('POST', path, object);
    if (status !== 409) return;
    const { name } = object.metadata;
    const { body: found } = await stack.server.request('GET', `${path}/${name}`);
    const { resourceVersion } = (found as TenantObject).metadata;
    const metadata = { ...object.metadata, resourceVersion };
    const again = await stack.server.request('PUT', `${path}/${name}`, { ...object, metadata });
    if (again.status >= 500) throw new Error(JSON.stringify([body, again.body]));
  }

  async function fingerprint(host: string): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect(
        { host: '127.0.0.1', port: tlsPort, servername: host, rejectUnauthorized: false },
        () => {
          resolve(socket.getPeerCertificate().fingerprint256);
          socket.destroy();
        },
      );
      socket.on('error', () => resolve('no handshake'));
    });
  }

  async function look(): Promise<string[]> {
    const answers: string[] = [];
    for (const { host, headers } of requests) answers.push(await answer(proxy, host, headers));
    answers.push(await fingerprint('plain.victim.test'));
    return answers;
  }

  const wanted: readonly RegExp[] = [
    /"victim"/u,
    /^401$/u,
    /"victim".*"consumer":"victim-consumer"/u,
    /^401$/u,
    /^401$/u,
    /"victim".*"consumer":"victim-consumer"/u,
    /^401$/u,
    /"victim"/u,
    /"victim"/u,
    /^404$/u,
    /^(?!no handshake)/u,
  ];

  const isSettled = (shown: string, index: number) => wanted[index]?.test(shown) ?? false;

  let markers = 0;
  /** Whatever was written before has been taken up when an Ingress that comes after it is live. */
  async function passed(): Promise<void> {
    markers += 1;
    const host = `marker-${markers}.victim.test`;
    const [ingress] = victimObjects({ certificate: '', privateKey: '' }, 0);
    const object = JSON.parse(
      JSON.stringify(ingress).replaceAll('plain.victim.test', host),
    ) as TenantObject;
    const { tls: _, ...spec } = object.spec as Record<string, unknown>;
    await put({ ...object, metadata: { ...object.metadata, name: `marker-${markers}` }, spec });
    await until(`${host} is live`, async () => (await answer(proxy, host)).includes('"victim"'));
  }

  test(`answers the same after each of ${count} objects, deletions and restarts`, async () => {
    const before = await look();
    expect(before.map(isSettled)).toEqual(before.map(() => true));
    for (let from = 0; from < tenantObjects.length; from += batchSize) {
      const batch = tenantObjects.slice(from, from + batchSize);
      for (const object of batch) await put(object);
      await passed();
      expect([from, await look()]).toEqual([from, before]);
      if ((from / batchSize) % 4 === 1) {
        await running.stop();
        start();
        await passed();
        expect([`${from} restarted`, await look()]).toEqual([`${from} restarted`, before]);
      }
      for (const object of batch.filter((_, index) => index % 3 === 0))
        await stack.remove(`${pathOf(object)}/${object.metadata.name}`);
    }
    await passed();
    expect(await look()).toEqual(before);
  }, 600_000);
});
