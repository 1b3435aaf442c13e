import { describe, expect, test } from 'vitest';
import { admin, namespace, useAdminWorld, world } from '../../test/admin-world.ts';

/** Answers that real clients and their suites wait for; the tables run against a real server as well. */
useAdminWorld();

const type = (name: string) => ({ 'Content-Type': `application/${name}` });
const merge = type('merge-patch+json');
const at = (plural: string) => `/api/v1/namespaces/${namespace}/${plural}`;
const metadataOf = (body: Record<string, unknown>) => body.metadata as Record<string, unknown>;

describe('a namespace on what has none is passed over', () => {
  const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
  test.each([
    ['POST', (name: string) => admin.ask('POST', roles, { metadata: { name, namespace: 'x' } })],
    [
      'PUT',
      (name: string) =>
        admin.ask('PUT', `${roles}/${name}`, { metadata: { name, namespace: 'x' } }),
    ],
    [
      'merge patch',
      (name: string) =>
        admin.ask('PATCH', `${roles}/${name}`, { metadata: { namespace: 'x' } }, merge),
    ],
    [
      'apply',
      (name: string) =>
        admin.ask(
          'PATCH',
          `${roles}/${name}?fieldManager=t`,
          {
            apiVersion: 'rbac.authorization.k8s.io/v1',
            kind: 'ClusterRole',
            metadata: { name, namespace: 'x' },
          },
          type('apply-patch+yaml'),
        ),
    ],
  ])('%s', async (way, send) => {
    const name = world.fresh('role');
    if (way !== 'POST') await admin.ask('POST', roles, { metadata: { name } });
    const { message, body } = await send(name);
    expect(message).toBe('');
    expect(metadataOf(body)).not.toHaveProperty('namespace');
  });

  test('but not on what has one', async () => {
    const { code } = await admin.ask('POST', at('configmaps'), {
      metadata: { name: 'a', namespace: 'x' },
    });
    expect(code).toBe(400);
  });
});

test('an owner that is named twice is named once', async () => {
  const owner = { apiVersion: 'v1', kind: 'Secret', name: 'o', uid: 'u', controller: true };
  const ownerReferences = [owner, { ...owner, name: 'p', uid: 'v', controller: false }, owner];
  const made = await admin.ask('POST', at('configmaps'), {
    metadata: { name: world.fresh('c'), ownerReferences },
  });
  expect(made.message).toBe('');
  expect(metadataOf(made.body).ownerReferences).toHaveLength(2);
  const two = [owner, { ...owner, uid: 'w' }];
  const refused = await admin.ask('POST', at('configmaps'), {
    metadata: { name: world.fresh('c'), ownerReferences: two },
  });
  expect(refused.message).toContain('Only one reference can have Controller set to true');
});

test('a dry run does not mind a version', async () => {
  const object = { metadata: { name: world.fresh('c'), resourceVersion: '7' } };
  const dry = await admin.ask('POST', `${at('configmaps')}?dryRun=All`, object);
  expect([dry.code, metadataOf(dry.body).resourceVersion]).toEqual([201, '7']);
  const real = await admin.ask('POST', at('configmaps'), object);
  expect(real.message).toBe('resourceVersion should not be set on objects to be created');
});

test('what is being deleted is said to be', async () => {
  const name = world.fresh('c');
  await admin.ask('POST', at('configmaps'), {
    metadata: { name, finalizers: ['a.example.com/b'] },
  });
  await admin.ask('DELETE', `${at('configmaps')}/${name}`);
  const again = await admin.ask('POST', at('configmaps'), { metadata: { name } });
  expect(again.message).toBe(`object is being deleted: configmaps "${name}" already exists`);
});

describe('null that is applied takes nothing from others', () => {
  test.each([
    ['a map', 'configmaps', 'v1', 'ConfigMap', { data: { k: 'v' } }, { data: null }],
    [
      'labels',
      'configmaps',
      'v1',
      'ConfigMap',
      { metadata: { labels: { a: 'b' } } },
      { metadata: { labels: null } },
    ],
    [
      'a list with keys',
      'services',
      'v1',
      'Service',
      { spec: { ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }] } },
      { spec: { ports: null } },
    ],
    [
      'all of a spec',
      'services',
      'v1',
      'Service',
      { spec: { ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }] } },
      { spec: null },
    ],
  ])('%s', async (_, plural, apiVersion, kind, first, applied) => {
    const name = world.fresh('n');
    const withName = (object: {
      readonly metadata?: object;
      readonly [field: string]: unknown;
    }) => ({
      ...object,
      apiVersion,
      kind,
      metadata: { name, ...object.metadata },
    });
    const made = await admin.ask('POST', at(plural), withName(first));
    expect(made.message).toBe('');
    const { message, body } = await admin.ask(
      'PATCH',
      `${at(plural)}/${name}?fieldManager=other&force=true`,
      withName(applied),
      type('apply-patch+yaml'),
    );
    expect(message).toBe('');
    expect(body).toMatchObject(first);
  });
});

test('a Lease is called by its resource where its version is missing', async () => {
  const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  const name = world.fresh('l');
  await admin.ask('POST', leases, { metadata: { name } });
  const { message } = await admin.ask('PUT', `${leases}/${name}`, { metadata: { name } });
  expect(message).toBe(
    `leases.coordination.k8s.io "${name}" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
  );
});

describe('a status endpoint', () => {
  const change = {
    metadata: {
      labels: { l: '1' },
      annotations: { a: '1' },
      finalizers: ['x.example.com/y'],
      ownerReferences: [{ apiVersion: 'v1', kind: 'Secret', name: 'o', uid: 'u' }],
    },
  };
  const template = {
    metadata: { labels: { a: 'b' } },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  };
  const all = ['annotations', 'finalizers', 'labels', 'ownerReferences'];
  test.each<[string, () => string, object, string[]]>([
    ['services', () => at('services'), { spec: { ports: [{ port: 80 }] } }, all],
    [
      'deployments',
      () => `/apis/apps/v1/namespaces/${namespace}/deployments`,
      { spec: { selector: { matchLabels: { a: 'b' } }, template } },
      all.filter((each) => each !== 'labels'),
    ],
    [
      'pods',
      () => at('pods'),
      { spec: { ...template.spec, automountServiceAccountToken: false } },
      all.filter((each) => each !== 'ownerReferences'),
    ],
    [
      'volumeattachments',
      () => '/apis/storage.k8s.io/v1/volumeattachments',
      { spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'p' } } },
      [],
    ],
  ])(
    'of %s lets the metadata through that Kubernetes lets through',
    async (_title, place, rest, changed) => {
      await admin.ask('POST', at('serviceaccounts'), { metadata: { name: 'default' } });
      const name = world.fresh('s');
      const made = await admin.ask('POST', place(), { metadata: { name }, ...rest });
      expect(made.message).toBe('');
      const { body, message } = await admin.ask(
        'PATCH',
        `${place()}/${name}/status`,
        change,
        merge,
      );
      expect(message).toBe('');
      const metadata = metadataOf(body);
      expect(all.filter((field) => metadata[field] !== undefined)).toEqual(changed);
      const managers = metadata.managedFields as {
        subresource?: string;
        fieldsV1: Record<string, object>;
      }[];
      const owned =
        managers.find((each) => each.subresource === 'status')?.fieldsV1['f:metadata'] ?? {};
      expect(Object.keys(owned).sort()).toEqual(changed.map((each) => `f:${each}`));
    },
  );
});
