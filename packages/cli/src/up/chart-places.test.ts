import type { ProblemRow } from '@waygate/dashboard';
import { kinds } from '@waygate/schema';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fleet, startFleet } from '../testing/fleet.ts';
import { storeRelease } from '../testing/stored-release.ts';
import { ChartPlaces } from './chart-places.ts';

let fleet: Fleet;
let places: ChartPlaces;
const { signal } = new AbortController();

beforeAll(async () => {
  fleet = await startFleet();
  await storeRelease(fleet.client);
  await fleet.client
    .resource(kinds.ConfigMap)
    .create({ metadata: { name: 'plain', namespace: 'default' } });
  places = new ChartPlaces(fleet.client);
});

afterAll(() => fleet[Symbol.asyncDispose]());

const row = (kind: string, name: string, message: string, field?: string): ProblemRow => ({
  id: `${kind}/${name}`,
  severity: 'blocked',
  object: {
    group: kind === 'HelmRelease' ? 'helm.toolkit.fluxcd.io' : '',
    version: kind === 'HelmRelease' ? 'v2' : 'v1',
    kind,
    namespace: 'default',
    name,
  },
  ...(field === undefined ? {} : { field }),
  message,
  since: 0,
});

const failed = (why: string) =>
  row(
    'HelmRelease',
    'shop',
    `Helm install failed for release default/shop with chart web@1.0.0: ${why}`,
  );

const template = 'web/templates/ConfigMap.yaml';

test.each<[string, ProblemRow, string | undefined]>([
  ['a field of an object', row('ConfigMap', 'shop-web', 'wrong', 'data.a'), `${template}:8`],
  ['an object', row('ConfigMap', 'shop-web', 'wrong'), `${template}:3`],
  ['an object that no chart made', row('ConfigMap', 'plain', 'wrong'), undefined],
  ['an object that is gone', row('ConfigMap', 'gone', 'wrong'), undefined],
  ['an object of a kind that nobody serves', row('Gadget', 'a', 'wrong'), undefined],
  [
    'what is refused',
    failed('ConfigMap "shop-web" is invalid: data.a: Invalid value: "b": no'),
    `${template}:8`,
  ],
  [
    'the first of several fields',
    failed(
      'ConfigMap "shop-web" is invalid: [data.a: Invalid value: "b": no, data.c: Required value]',
    ),
    `${template}:8`,
  ],
  [
    'an object of a group, not of this release',
    failed('Deployment.apps "shop-web" is invalid: spec.replicas: Invalid value: -1'),
    undefined,
  ],
  ['a failure of something else', failed('context deadline exceeded'), undefined],
])('%s', async (_what, problem, expected) => {
  expect(await places.of([problem], signal)).toEqual([expected]);
});

test('the gateway is nobody’s chart, and each row keeps its own place', async () => {
  const { object: _object, ...gateway } = row('ConfigMap', 'a', 'unreachable');
  const rows = [gateway, row('ConfigMap', 'shop-web', 'wrong', 'data.a'), failed('no')];
  expect(await places.of(rows, signal)).toEqual([undefined, `${template}:8`, undefined]);
});

test('a problem that is still the same is not looked up again, and one in other words is', async () => {
  let asked = 0;
  const counted = new Proxy(fleet.client, {
    get(client, name) {
      if (name === 'resource') asked += 1;
      const value: unknown = Reflect.get(client, name);
      return typeof value === 'function' ? value.bind(client) : value;
    },
  });
  const own = new ChartPlaces(counted);
  await own.of([row('ConfigMap', 'shop-web', 'wrong')], signal);
  const before = asked;
  expect(before).toBeGreaterThan(0);
  await own.of([row('ConfigMap', 'shop-web', 'wrong')], signal);
  expect(asked).toBe(before);
  await own.of([row('ConfigMap', 'shop-web', 'still wrong')], signal);
  expect(asked).toBeGreaterThan(before);
});

test('of very many problems some are looked up at a time, and all in the end', async () => {
  const own = new ChartPlaces(fleet.client);
  const rows = Array.from({ length: 25 }, (_, at) => row('ConfigMap', 'shop-web', `wrong ${at}`));
  const found = async () => (await own.of(rows, signal)).filter((place) => place !== undefined);
  expect(await found()).toHaveLength(10);
  expect(await found()).toHaveLength(20);
  expect(await found()).toHaveLength(25);
});
