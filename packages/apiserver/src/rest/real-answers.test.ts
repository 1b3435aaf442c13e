import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AccessWorld, type Actor, startAccessWorld } from '../testing/access-world.ts';

/** Answers that real clients and their suites wait for; the tables run against a real server as well. */
let world: AccessWorld;
let admin: Actor;
let namespace: string;

beforeAll(async () => {
  world = await startAccessWorld();
  admin = world.admin;
  namespace = await world.namespace();
});

afterAll(() => world.stop());

const type = (name: string) => ({ 'Content-Type': `application/${name}` });
const merge = type('merge-patch+json');
const strategic = type('strategic-merge-patch+json');
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

describe('ephemeral containers', () => {
  const container = (name: string, rest: object = {}) => ({ name, image: 'busybox', ...rest });
  async function pod(): Promise<string> {
    await admin.ask('POST', at('serviceaccounts'), { metadata: { name: 'default' } });
    const name = world.fresh('p');
    const spec = { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }] };
    await admin.ask('POST', at('pods'), { metadata: { name }, spec });
    return name;
  }
  const add = (name: string, containers: object[], headers = strategic, rest: object = {}) =>
    admin.ask(
      'PATCH',
      `${at('pods')}/${name}/ephemeralcontainers`,
      { ...rest, spec: { ephemeralContainers: containers } },
      headers,
    );

  test('are added one by one, and nothing else is', async () => {
    const name = await pod();
    const first = await add(name, [container('one')]);
    expect(first.body.spec).toMatchObject({
      ephemeralContainers: [
        {
          name: 'one',
          image: 'busybox',
          resources: {},
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          imagePullPolicy: 'Always',
        },
      ],
    });
    const second = await add(name, [container('two', { targetContainerName: 'c' })], strategic, {
      metadata: { labels: { a: 'b' } },
    });
    const { ephemeralContainers } = second.body.spec as { ephemeralContainers: { name: string }[] };
    expect(ephemeralContainers.map((each) => each.name).sort()).toEqual(['one', 'two']);
    expect(metadataOf(second.body)).not.toHaveProperty('labels');
    expect(metadataOf(second.body).generation).toBe(3);
    const read = await admin.ask('GET', `${at('pods')}/${name}/ephemeralcontainers`);
    expect(read.body.kind).toBe('Pod');
  });

  test.each<[string, object[], object, string]>([
    [
      'removed',
      [],
      merge,
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers "one" may not be removed\n',
    ],
    [
      'changed',
      [container('one', { image: 'other' })],
      strategic,
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers "one" may not be changed\n@@ -1,6 +1,6 @@\n {\n  "Name": "one",\n- "Image": "busybox",\n+ "Image": "other",\n',
    ],
    [
      'called as another',
      [container('c')],
      strategic,
      'spec.ephemeralContainers[0].name: Duplicate value: "c"',
    ],
    [
      'without an image',
      [{ name: 'x' }],
      strategic,
      'spec.ephemeralContainers[0].image: Required value',
    ],
    [
      'aimed at none',
      [container('x', { targetContainerName: 'none' })],
      strategic,
      'spec.ephemeralContainers[0].targetContainerName: Not found: "none"',
    ],
    [
      'relied upon',
      [
        container('x', {
          ports: [{ containerPort: 1 }],
          resources: { limits: { cpu: '1' } },
          livenessProbe: { exec: { command: ['a'] } },
        }),
      ],
      strategic,
      '[spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container, spec.ephemeralContainers[0].resources: Forbidden: cannot be set for an Ephemeral Container, spec.ephemeralContainers[0].livenessProbe: Forbidden: cannot be set for an Ephemeral Container]',
    ],
  ])('are not %s', async (_title, containers, headers, problem) => {
    const name = await pod();
    await add(name, [container('one')]);
    const verdict = await add(name, containers, headers as typeof merge);
    expect(verdict.message).toContain(`Pod "${name}" is invalid: ${problem}`);
  });

  test('come by their own endpoint only', async () => {
    const name = await pod();
    const body = { spec: { ephemeralContainers: [container('x')] } };
    const changed = await admin.ask('PATCH', `${at('pods')}/${name}`, body, strategic);
    expect(changed.message).toContain('pod updates may not change fields other than');
    const made = await admin.ask('POST', at('pods'), {
      metadata: { name: world.fresh('p') },
      spec: {
        ...body.spec,
        automountServiceAccountToken: false,
        containers: [{ name: 'c', image: 'i' }],
      },
    });
    expect(made.message).toContain('spec.ephemeralContainers: Forbidden: cannot be set on create');
  });
});

describe('custom resources', () => {
  async function definition(
    kind: string,
    versions: object[],
  ): Promise<{ group: string; plural: string }> {
    const group = `${world.fresh('g')}.example.com`;
    const plural = `${kind.toLowerCase()}s`;
    await admin.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: `${plural}.${group}` },
      spec: { group, scope: 'Cluster', names: { plural, kind }, versions },
    });
    const [{ name }] = versions as [{ name: string }];
    await expect
      .poll(async () => (await admin.ask('GET', `/apis/${group}/${name}/${plural}`)).code)
      .toBe(200);
    return { group, plural };
  }
  const text = { type: 'string' };

  test('have the defaults of their status from the start', async () => {
    const status = {
      type: 'object',
      default: {},
      properties: {
        phase: { ...text, default: 'New' },
        part: { type: 'object', properties: { q: { ...text, default: 'Q' } } },
      },
    };
    const { group, plural } = await definition('Gizmo', [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { status } } },
      },
    ]);
    const place = `/apis/${group}/v1/${plural}`;
    const made = await admin.ask('POST', place, {
      apiVersion: `${group}/v1`,
      kind: 'Gizmo',
      metadata: { name: 'a' },
      status: { phase: 'Mine', part: {} },
    });
    expect(made.body.status).toEqual({ phase: 'New' });
    expect((await admin.ask('GET', `${place}/a`)).body.status).toEqual({ phase: 'New' });
    const labelled = { metadata: { labels: { a: 'b' } }, status: { phase: 'Old', part: {} } };
    const patched = await admin.ask('PATCH', `${place}/a/status`, labelled, merge);
    expect(patched.body.status).toEqual({ phase: 'Old', part: { q: 'Q' } });
    expect(metadataOf(patched.body)).not.toHaveProperty('labels');
  });

  test('of several versions are pruned and filled in by the one that is stored', async () => {
    const schema = (own: string, only: string) => ({
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            properties: {
              shared: text,
              [own]: { ...text, default: `d-${own}` },
              only: { type: only },
            },
          },
        },
      },
    });
    const { group, plural } = await definition('Multi', [
      { name: 'v1', served: true, storage: false, schema: schema('one', 'string') },
      { name: 'v2', served: true, storage: true, schema: schema('two', 'integer') },
    ]);
    const place = (version: string) => `/apis/${group}/${version}/${plural}`;
    await expect.poll(async () => (await admin.ask('GET', place('v2'))).code).toBe(200);
    const object = (version: string, name: string, spec: object) => ({
      apiVersion: `${group}/${version}`,
      kind: 'Multi',
      metadata: { name },
      spec,
    });
    const made = await admin.ask(
      'POST',
      place('v1'),
      object('v1', 'm', { shared: 's', one: 'x', only: 'text' }),
    );
    expect(made.body.spec).toEqual({ shared: 's', only: 'text' });
    const read = async (version: string, name: string) =>
      (await admin.ask('GET', `${place(version)}/${name}`)).body.spec;
    expect(await read('v1', 'm')).toEqual({ shared: 's', only: 'text' });
    expect(await read('v2', 'm')).toEqual({ shared: 's', only: 'text', two: 'd-two' });
    await admin.ask('POST', place('v2'), object('v2', 'n', { two: 'y', only: 3 }));
    expect(await read('v1', 'n')).toEqual({ only: 3 });
    // What is wrong by this version and stays as it was is let be.
    for (const [version, name, spec] of [
      ['v1', 'n', { only: 3, shared: 't' }],
      ['v2', 'm', { only: 'text', shared: 't', two: 'd-two' }],
    ] as const) {
      const patched = await admin.ask(
        'PATCH',
        `${place(version)}/${name}`,
        { spec: { shared: 't' } },
        merge,
      );
      expect(patched.body.spec).toEqual(spec);
    }
    const wrong = await admin.ask('PATCH', `${place('v1')}/n`, { spec: { only: 4 } }, merge);
    expect(wrong.code).toBe(422);
  });
});
