import { describe, expect, test } from 'vitest';
import { admin, namespace, useAdminWorld, world } from '../../test/admin-world.ts';

/** What endpoints that hold no objects answer, and gates; it runs against a real server as well. */
useAdminWorld();

const type = (name: string) => ({ 'Content-Type': `application/${name}` });
const strategic = type('strategic-merge-patch+json');
const core = (plural: string) => `/api/v1/namespaces/${namespace}/${plural}`;

const containers = [{ name: 'c', image: 'image:1' }];

async function made(collection: string, object: object): Promise<string> {
  const name = world.fresh('asked');
  const { message } = await admin.ask('POST', collection, { metadata: { name }, ...object });
  expect(message).toBe('');
  return `${collection}/${name}`;
}

describe('bindings and evictions', () => {
  const spec = { containers, automountServiceAccountToken: false, serviceAccountName: 'default' };
  const target = { kind: 'Node', name: 'n' };

  test('an eviction is one: a body of another kind evicts nobody', async () => {
    const path = await made(core('pods'), { spec });
    const metadata = { name: path.split('/').at(-1) };
    const body = { apiVersion: 'v1', kind: 'Pod', metadata };
    const { code, message } = await admin.ask('POST', `${path}/eviction`, body);
    expect([code, message]).toEqual([400, expect.stringContaining('unknown conversion')]);
    expect((await admin.ask('GET', path)).code).toBe(200);
  });

  test('the old place of bindings binds the pod of that name', async () => {
    const absent = { metadata: { name: 'absent' }, target };
    expect((await admin.ask('POST', core('bindings'), absent)).message).toBe(
      'pods "absent" not found',
    );
    const path = await made(core('pods'), { spec });
    const metadata = { name: path.split('/').at(-1) };
    expect((await admin.ask('POST', core('bindings'), { metadata, target })).code).toBe(201);
    expect((await admin.ask('GET', path)).body.spec).toMatchObject({ nodeName: 'n' });
    const again = await admin.ask('POST', `${path}/binding`, { metadata, target });
    expect([again.code, again.message]).toEqual([409, expect.stringContaining('already assigned')]);
  });
});

describe('questions of who may do what', () => {
  const asked = { verb: 'get', resource: 'pods' };
  const path = { path: '/x', verb: 'get' };
  const reviews = '/apis/authorization.k8s.io/v1';
  const subject = `${reviews}/subjectaccessreviews`;
  test.each([
    [{ spec: {} }, /exactly one of .*, spec\.user: Invalid value: ""/],
    [
      { spec: { user: 'u', resourceAttributes: asked, nonResourceAttributes: path } },
      /spec\.nonResourceAttributes: Invalid value: \{"Path":"\/x","Verb":"get"\}: cannot be/,
    ],
    [
      { metadata: { name: 'n' }, spec: { user: 'u', resourceAttributes: asked } },
      /metadata: Invalid value: .*: must be empty$/,
    ],
    [
      { spec: { user: 'u', resourceAttributes: { ...asked, labelSelector: {} } } },
      /requirements: Required value: when spec\.resourceAttributes\.labelSelector is specified/,
    ],
  ])('%j', async (review, message) => {
    const answer = await admin.ask('POST', subject, review);
    expect([answer.code, answer.message]).toEqual([422, expect.stringMatching(message)]);
  });

  test('an operator that nobody knows is passed over, and that is said', async () => {
    const requirements = [{ key: 'a', operator: 'Newer' }];
    const { body } = await admin.ask('POST', subject, {
      spec: { user: 'u', resourceAttributes: { ...asked, labelSelector: { requirements } } },
    });
    expect(body.status).toMatchObject({
      evaluationError: 'spec.resourceAttributes.labelSelector ignored due to parse error',
    });
  });

  test('of one namespace are about what is in it', async () => {
    const local = `${reviews}/namespaces/${namespace}/localsubjectaccessreviews`;
    const { message } = await admin.ask('POST', local, {
      spec: { user: 'u', nonResourceAttributes: path },
    });
    expect(message).toMatch(/: disallowed on this kind of request$/);
  });
});

test('a finalizer of a namespace is a name', async () => {
  const path = await made('/api/v1/namespaces', {});
  const metadata = { name: path.split('/').at(-1) };
  const { message } = await admin.ask('PUT', `${path}/finalize`, {
    metadata,
    spec: { finalizers: ['bad'] },
  });
  expect(message).toContain('spec.finalizers[0]: Invalid value: "bad": name is neither');
  await admin.ask('DELETE', path);
});

test('lists of two types are not merged', async () => {
  const path = await made(core('configmaps'), {
    metadata: { name: 'mixed', finalizers: ['a.b/c'] },
  });
  const patch = { metadata: { finalizers: [7] } };
  const { code, message } = await admin.ask(
    'PATCH',
    path.replace(/[^/]+$/, 'mixed'),
    patch,
    strategic,
  );
  expect([code, message]).toEqual([500, 'list element types are not identical: [[a.b/c] [7]]']);
});

test('what several containers do wrong is said once', async () => {
  const place = await world.namespace();
  const at = (plural: string) => `/api/v1/namespaces/${place}/${plural}`;
  await admin.ask('POST', at('serviceaccounts'), { metadata: { name: 'default' } });
  const limits = [{ type: 'Container', max: { cpu: '1' } }];
  await admin.ask('POST', at('limitranges'), { metadata: { name: 'l' }, spec: { limits } });
  const two = ['c', 'd'].map((name) => ({ name, image: 'i', resources: { limits: { cpu: '2' } } }));
  const pod = {
    metadata: { name: 'p' },
    spec: { containers: two, automountServiceAccountToken: false, serviceAccountName: 'default' },
  };
  await expect
    .poll(async () => (await admin.ask('POST', `${at('pods')}?dryRun=All`, pod)).message)
    .toBe('pods "p" is forbidden: maximum cpu usage per Container is 1, but limit is 2');
});

describe('the resources of a pod', () => {
  const resources = { requests: { cpu: '100m' }, limits: { cpu: '1' } };
  const spec = {
    containers: [{ name: 'c', image: 'i', resources }],
    automountServiceAccountToken: false,
    serviceAccountName: 'default',
  };
  const resize = (path: string, container: object) =>
    admin.ask('PATCH', `${path}/resize`, { spec: { containers: [container] } }, strategic);

  test('are changed through their own endpoint, which changes nothing else', async () => {
    const path = await made(core('pods'), { spec });
    const patch = {
      metadata: { labels: { other: 'x' } },
      spec: { containers: [{ name: 'c', image: 'other', resources: { limits: { cpu: '2' } } }] },
    };
    const { message, body } = await admin.ask('PATCH', `${path}/resize`, patch, strategic);
    expect(message).toBe('');
    expect(body.metadata).not.toHaveProperty('labels');
    expect((body.spec as { containers: object[] }).containers[0]).toMatchObject({
      image: 'i',
      resources: { requests: { cpu: '100m' }, limits: { cpu: '2' } },
    });
    // And not through the pod itself.
    patch.spec.containers[0] = { name: 'c', image: 'i', resources: { limits: { cpu: '3' } } };
    const plain = await admin.ask('PATCH', path, patch, strategic);
    expect(plain.message).toContain('pod updates may not change fields other than');
  });

  test.each([
    [
      { name: 'c', resources: { limits: { cpu: null } } },
      'limits: Forbidden: resource limits cannot',
    ],
    [
      { name: 'd', image: 'i' },
      'spec.containers: Forbidden: containers may not be added or removed',
    ],
    [
      {
        name: 'c',
        resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '1Gi' } },
      },
      'Pod QOS Class may not change as a result of resizing',
    ],
    [
      {
        name: 'c',
        resources: { requests: { 'a.b/c': '1' }, limits: { 'a.b/c': '1' } },
      },
      'only cpu and memory resources are mutable',
    ],
  ])('%j is refused', async (container, message) => {
    const path = await made(core('pods'), { spec });
    const answer = await resize(path, container);
    expect([answer.code, answer.message]).toEqual([422, expect.stringContaining(message)]);
  });
});

test.each([
  ['tailLines=-1', 422, 'PodLogOptions "logged" is invalid: tailLines: Invalid value: -1'],
  ['limitBytes=0', 422, 'limitBytes: Invalid value: 0: must be greater than 0'],
  ['sinceSeconds=0', 422, 'sinceSeconds: Invalid value: 0: must be greater than 0'],
  ['sinceSeconds=1&sinceTime=2024-01-01T00:00:00Z', 422, 'at most one of `sinceTime` or'],
  ['container=none', 400, 'container none is not valid for pod logged'],
])('a log with %s', async (query, code, message) => {
  const spec = { containers, automountServiceAccountToken: false, serviceAccountName: 'default' };
  await admin.ask('POST', core('pods'), { metadata: { name: 'logged' }, spec });
  const answer = await admin.ask('GET', `${core('pods')}/logged/log?${query}`);
  expect([answer.code, answer.message]).toEqual([code, expect.stringContaining(message)]);
});
