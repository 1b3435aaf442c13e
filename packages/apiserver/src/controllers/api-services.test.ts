import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../../../test/until.ts';
import { type AccessWorld, startAccessWorld } from '../testing/access-world.ts';

/** These run against a real server as well. */
let world: AccessWorld;
const path = '/apis/apiregistration.k8s.io/v1/apiservices';

beforeAll(async () => {
  world = await startAccessWorld();
});
afterAll(() => world.stop());

interface ApiService {
  readonly metadata: { readonly name: string; readonly labels?: Record<string, string> };
  readonly spec: Record<string, unknown>;
  readonly status?: { readonly conditions?: readonly Record<string, string>[] };
}

async function list(): Promise<ApiService[]> {
  const { body } = await world.admin.ask('GET', path);
  return body.items as ApiService[];
}

/** Others make them; the condition ends the wait, or the test's own time does. */
const find = async (name: string) => (await list()).find(({ metadata }) => metadata.name === name);
const isThere = (name: string) => until(`${name} is there`, () => find(name));
const isGone = (name: string) =>
  until(`${name} is gone`, async () => (await find(name)) === undefined);

test('there is one for each version of each group, and all are served here', async () => {
  await isThere('v1.apps');
  await isThere('v2.autoscaling');
  const all = await list();
  const versions = (await world.admin.ask('GET', '/apis')).body.groups as {
    name: string;
    versions: { version: string }[];
  }[];
  const wanted = versions
    .filter(({ name }) => name !== 'apiregistration.k8s.io' && name.includes('.k8s.io'))
    .flatMap((group) => group.versions.map(({ version }) => `${version}.${group.name}`));
  expect(all.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(wanted));
  expect(await find('v1.apps')).toMatchObject({
    metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
    spec: { group: 'apps', version: 'v1', groupPriorityMinimum: 17800, versionPriority: 15 },
    status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
  });
});

test('the books on one that was there from the start are as on any other', async () => {
  const group = `${world.fresh('g')}.example.com`;
  const { body } = await world.admin.ask('POST', `${path}?fieldManager=kube-apiserver`, {
    metadata: {
      name: `v1.${group}`,
      labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' },
    },
    spec: { group, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15 },
  });
  const books = ({ metadata }: { metadata: unknown }): unknown =>
    (metadata as { managedFields: Record<string, unknown>[] }).managedFields.map(
      ({ time: _time, ...rest }) => rest,
    );
  await isThere('v1.apps');
  expect(books((await find('v1.apps')) as ApiService)).toEqual(books(body as never));
  await world.admin.ask('DELETE', `${path}/v1.${group}`);
});

test('that of a definition comes and goes with it, and comes back when somebody deletes it', async () => {
  const group = `${world.fresh('g')}.example.com`;
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await world.admin.ask('POST', definitions, {
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: { plural: 'things', kind: 'Thing' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object' } },
        },
      ],
    },
  });
  const name = `v1.${group}`;
  await isThere(name);
  const first = await find(name);
  expect(first?.spec).toMatchObject({ groupPriorityMinimum: 1000, versionPriority: 100 });
  const uid = (first as unknown as { metadata: { uid: string } }).metadata.uid;
  await world.admin.ask('DELETE', `${path}/${name}`);
  await until('another is there', async () => {
    const now = (await find(name)) as { metadata: { uid: string } } | undefined;
    return now !== undefined && now.metadata.uid !== uid;
  });
  await world.admin.ask('DELETE', `${definitions}/things.${group}`);
  await isGone(name);
});

test('one that names a Service which is not there says so', async () => {
  const name = `v1.${world.fresh('r')}.example.com`;
  const [version, ...rest] = name.split('.');
  await world.admin.ask('POST', path, {
    metadata: { name },
    spec: {
      group: rest.join('.'),
      version,
      groupPriorityMinimum: 100,
      versionPriority: 10,
      insecureSkipTLSVerify: true,
      service: { namespace: 'default', name: 'nobody' },
    },
  });
  const message = async () => (await find(name))?.status?.conditions?.[0]?.message;
  expect(await until('it has a message', message)).toBe(
    'service/nobody in "default" is not present',
  );
  await world.admin.ask('DELETE', `${path}/${name}`);
});
