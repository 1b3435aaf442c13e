import { afterAll, beforeAll, expect, test } from 'vitest';
import { gateway, gatewayClass, route } from '../ingress/kind-row.ts';
import {
  answer,
  core,
  ingress,
  ingresses,
  Stack,
  service,
  slice,
  slices,
  type TestGateway,
} from '../ingress/stack.ts';
import { until } from '../until.ts';

// The attacks as they were made: a tenant's pattern, one small request, and a neighbour who asks.

let stack: Stack;
let embedded: TestGateway;
const gatewayApi = '/apis/gateway.networking.k8s.io/v1';

beforeAll(async () => {
  stack = await Stack.start();
  await stack.installDefinitions();
  const port = await stack.backend('hello');
  await stack.create(`${core}/services`, service);
  await stack.create(slices, slice(port));
  embedded = await stack.gateway();
  const { controller } = stack.controller({ kongAdmin: stack.adminClient(embedded.admin) });
  await controller.waitUntilReady();
  await stack.create(ingresses, ingress('neighbour', 'neighbour.test'));
  await stack.create(`${gatewayApi}/gatewayclasses`, {
    ...gatewayClass('kong'),
    metadata: {
      name: 'kong',
      annotations: { 'konghq.com/gatewayclass-unmanaged': 'true' },
    },
  });
  await stack.create(`${gatewayApi}/namespaces/default/gateways`, gateway('kong'));
  await until('the neighbour is served', async () => (await neighbour()) === 'hello');
}, 60_000);

afterAll(() => stack?.stop());

const neighbour = (): Promise<string> => answer(`${embedded.proxy}/`, 'neighbour.test');

/** The attack and, while it is under way, the neighbour: both are answered. */
async function attacked(attack: () => Promise<string>): Promise<string> {
  const [result, ...neighbours] = await Promise.all([attack(), neighbour(), neighbour()]);
  expect(neighbours).toEqual(['hello', 'hello']);
  expect(await neighbour()).toBe('hello');
  return result;
}

test('a path of an Ingress: /~/files/([a-z0-9]+-?)+[a-f]{32}$', async () => {
  const backend = { service: { name: 'web', port: { number: 80 } } };
  const path = {
    path: '/~/files/([a-z0-9]+-?)+[a-f]{32}$',
    pathType: 'ImplementationSpecific',
    backend,
  };
  await stack.create(ingresses, {
    metadata: { name: 'evil' },
    spec: { ingressClassName: 'kong', rules: [{ host: 'evil.test', http: { paths: [path] } }] },
  });
  const good = `/files/${'a1-'.repeat(4)}${'f'.repeat(32)}`;
  await until(
    'it is served',
    async () => (await answer(embedded.proxy + good, 'evil.test')) === 'hello',
  );
  const evil = `/files/${'a'.repeat(60)}!`;
  expect(await attacked(() => answer(embedded.proxy + evil, 'evil.test'))).toBe('404');
}, 30_000);

test('a header of an HTTPRoute: ^(a+)+b{20}$', async () => {
  const headers = [{ type: 'RegularExpression', name: 'x-evil', value: '^(a+)+b{20}$' }];
  await stack.create(
    `${gatewayApi}/namespaces/default/httproutes`,
    route('HTTPRoute', { hostnames: ['header.test'], rule: { matches: [{ headers }] } }),
  );
  const call = (value: string) => answer(`${embedded.proxy}/`, 'header.test', { 'x-evil': value });
  await until('it is served', async () => (await call(`aaa${'b'.repeat(20)}`)) === 'hello');
  expect(await attacked(() => call('a'.repeat(60)))).toBe('404');
}, 30_000);

test('two hundred costly patterns of one tenant', async () => {
  const backend = { service: { name: 'web', port: { number: 80 } } };
  const paths = Array.from({ length: 200 }, (_, index) => ({
    path: `/~/.*[ab].{${300 + index}}c$`,
    pathType: 'ImplementationSpecific',
    backend,
  }));
  await stack.create(ingresses, {
    metadata: { name: 'many' },
    spec: { ingressClassName: 'kong', rules: [{ http: { paths } }] },
  });
  const good = `/b${'x'.repeat(300)}c`;
  await until(
    'they are served',
    async () => (await answer(embedded.proxy + good, 'any.test')) === 'hello',
  );
  let text = '/';
  for (let index = 0; text.length < 6000; index += 1) text += 'abx'[(index * index * 7) % 3];
  const startedAt = process.cpuUsage();
  expect(await attacked(() => answer(embedded.proxy + text, 'any.test'))).toBe('404');
  expect(process.cpuUsage(startedAt).user).toBeLessThan(10_000_000);
}, 60_000);
