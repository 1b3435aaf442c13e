import { describe, expect, test } from 'vitest';
import { admin, namespace, useAdminWorld, world } from '../../test/admin-world.ts';

/** What options and endpoints answer that clients rarely ask; it runs against a real server as well. */
useAdminWorld();

const type = (name: string) => ({ 'Content-Type': `application/${name}` });
const merge = type('merge-patch+json');
const strategic = type('strategic-merge-patch+json');
const apply = type('apply-patch+yaml');
const core = (plural: string) => `/api/v1/namespaces/${namespace}/${plural}`;
const apps = (plural: string) => `/apis/apps/v1/namespaces/${namespace}/${plural}`;

const containers = [{ name: 'c', image: 'image:1' }];
const template = { metadata: { labels: { app: 'a' } }, spec: { containers } };
const selector = { matchLabels: { app: 'a' } };

async function made(collection: string, object: object): Promise<string> {
  const name = world.fresh('asked');
  const { message } = await admin.ask('POST', collection, { metadata: { name }, ...object });
  expect(message).toBe('');
  return `${collection}/${name}`;
}

describe('options that are none are told', () => {
  test.each([
    ['GET', 'a?resourceVersion=word', 500, /^resourceVersion: Invalid value: "word"/],
    ['GET', '?resourceVersion=word', 400, /^invalid resource version: resourceVersion/],
    ['GET', '?continue=e30', 400, /does not recognize this encoded version $/],
    [
      'GET',
      '?watch=true&sendInitialEvents=true&resourceVersionMatch=Exact',
      422,
      /sendInitialEvents requires setting .*, resourceVersionMatch: Unsupported value: "Exact"/,
    ],
    [
      'PUT',
      'a?fieldManager=%C3%A9%07',
      422,
      /fieldManager: Invalid value: .*: invalid character U\+0007 \(at position 2\)$/,
    ],
    ['DELETE', 'a?gracePeriodSeconds=word', 400, /^strconv\.ParseInt: parsing "word"/],
  ])('%s %s', async (method, path, code, message) => {
    const answer = await admin.ask(
      method,
      `${core('configmaps')}/${path}`.replace('/?', '?'),
      {
        PUT: { metadata: { name: 'a' } },
      }[method],
    );
    expect(answer.code).toBe(code);
    expect(answer.message).toMatch(message);
  });

  test.each([
    ['POST', [], /^the object provided is unrecognized.* cannot unmarshal array into Go value of/],
    ['POST', 7, /cannot unmarshal number into Go value of type struct \{ APIVersion string/],
    ['DELETE', [], /^couldn't get version\/kind; json parse error: json: cannot unmarshal array/],
  ])('a body of %s that is no object: %s', async (method, body, message) => {
    const path = method === 'DELETE' ? `${core('configmaps')}/a` : core('configmaps');
    const answer = await admin.ask(method, path, body);
    expect([answer.code, answer.message]).toEqual([400, expect.stringMatching(message)]);
  });

  test('what a deletion says in its body is told alone', async () => {
    const path = await made(core('configmaps'), {});
    const answer = await admin.ask('DELETE', `${path}?dryRun=All`, { dryRun: ['word'] });
    expect(answer.message).toMatch(/dryRun: Unsupported value: \["word"\]/);
    expect((await admin.ask('DELETE', path)).code).toBe(200);
  });
});

describe('a pod that is sent whole', () => {
  const spec = { containers, automountServiceAccountToken: false, serviceAccountName: 'default' };

  test('keeps the priority that was computed for it', async () => {
    const path = await made(core('pods'), { spec });
    const metadata = { name: path.split('/').at(-1), labels: { b: 'c' } };
    const { message, body } = await admin.ask('PUT', path, { metadata, spec });
    expect(message).toBe('');
    expect(body.spec).toMatchObject({ priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
  });

  test('keeps the class of quality of its status', async () => {
    const path = await made(core('pods'), { spec });
    const metadata = { name: path.split('/').at(-1) };
    const { body } = await admin.ask('PUT', `${path}/status`, { metadata, spec, status: {} });
    expect(body.status).toMatchObject({ qosClass: 'BestEffort' });
  });
});

describe('a status without what it always has', () => {
  const volume = {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    hostPath: { path: '/p' },
  };
  const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  test.each([
    ['/api/v1/persistentvolumes', { spec: volume }, 'Pending'],
    ['claims', { spec: claim }, 'Pending'],
    ['/api/v1/namespaces', {}, 'Active'],
  ])('%s', async (place, object, phase) => {
    const path = await made(place === 'claims' ? core('persistentvolumeclaims') : place, object);
    const status = [{ op: 'add', path: '/status', value: {} }];
    const { body } = await admin.ask('PATCH', `${path}/status`, status, type('json-patch+json'));
    expect(body.status).toMatchObject({ phase });
    await admin.ask('DELETE', path);
  });

  test('conditions of the meta group are whole', async () => {
    const budgets = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
    const path = await made(budgets, { spec: { selector } });
    const status = { conditions: [{ type: 'Ready', status: 'True' }] };
    const { message } = await admin.ask('PATCH', `${path}/status`, { status }, merge);
    expect(message).toContain(
      '[status.conditions[0].lastTransitionTime: Required value, status.conditions[0].reason: Required value]',
    );
  });
});

describe('the scale of a workload', () => {
  const deployment = { spec: { replicas: 1, selector, template } };
  const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 2 } };

  test('has to be that of the path', async () => {
    const path = `${await made(apps('deployments'), deployment)}/scale`;
    const other = await admin.ask('PUT', path, { ...scale, metadata: { name: 'b' } });
    expect([other.code, other.message]).toEqual([400, expect.stringContaining('object (b)')]);
    const none = await admin.ask('PUT', path, { spec: {} });
    expect([none.code, none.message]).toEqual([400, expect.stringContaining('undeterminable')]);
  });

  test('is of its own types, and its owners are owners of a Scale', async () => {
    const path = await made(apps('deployments'), deployment);
    const wrong = await admin.ask('PATCH', `${path}/scale`, { spec: { replicas: 'x' } }, merge);
    expect([wrong.code, wrong.message]).toEqual([
      422,
      expect.stringContaining('Go struct field ScaleSpec.spec.replicas of type int32'),
    ]);
    const metadata = { name: path.split('/').at(-1) };
    const taken = await admin.ask(
      'PATCH',
      `${path}/scale?fieldManager=t`,
      { ...scale, metadata },
      apply,
    );
    expect([taken.code, taken.message]).toEqual([
      409,
      expect.stringContaining('using autoscaling/v1: .spec.replicas'),
    ]);
  });
});

describe('values of another type are told in the names of Go', () => {
  const wrong = (spec: object) => ({ metadata: { name: 'a' }, spec });
  const ingress = (port: unknown) => [
    { http: { paths: [{ backend: { service: { name: 's', port } } }] } },
  ];
  test.each([
    [core('services'), wrong({ type: 7 }), 'ServiceSpec.spec.type of type v1.ServiceType'],
    [
      core('resourcequotas'),
      wrong({ hard: 'x' }),
      'ResourceQuotaSpec.spec.hard of type v1.ResourceList',
    ],
    [
      core('persistentvolumeclaims'),
      wrong({ accessModes: {} }),
      'accessModes of type []v1.PersistentVolumeAccessMode',
    ],
    [
      core('pods'),
      wrong({ containers: [{ readinessProbe: { httpGet: 'x' } }] }),
      'Probe.spec.containers.readinessProbe.ProbeHandler.httpGet of type v1.HTTPGetAction',
    ],
    [
      core('pods'),
      wrong({ containers: [{ readinessProbe: { httpGet: { port: 2 ** 31 } } }] }),
      'HTTPGetAction.spec.containers.readinessProbe.ProbeHandler.httpGet.port of type int32',
    ],
    [
      core('secrets'),
      { data: { k: ['a'] } },
      'cannot unmarshal string into Go struct field Secret.data of type uint8',
    ],
  ])('%s %j', async (collection, object, message) => {
    const answer = await admin.ask('POST', collection, object);
    expect([answer.code, answer.message]).toEqual([400, expect.stringContaining(message)]);
  });

  test('an embedded struct is named before what is in it', async () => {
    const { message } = await admin.ask(
      'POST',
      `/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses`,
      wrong({ rules: ingress(7) }),
    );
    expect(message).toContain('spec.rules.IngressRuleValue.http.paths.backend.service.port');
  });

  test('bytes may come as numbers', async () => {
    const path = await made(core('secrets'), { data: { k: [104, 105] } });
    expect((await admin.ask('GET', path)).body.data).toEqual({ k: 'aGk=' });
  });

  test('what was read before goes round, or is said to be no such type', async () => {
    const path = await made(apps('deployments'), { spec: { replicas: 1, selector, template } });
    const patch = (replicas: unknown) =>
      admin.ask('PATCH', `${path}?dryRun=All`, { spec: { replicas } }, strategic);
    expect((await patch('x')).message).toContain('unrecognized type: int32');
    expect((await patch(1.5)).message).toContain('cannot convert float64 to int32');
    expect((await patch(2 ** 31)).message).toContain('Invalid value: -2147483648');
  });
});

describe('server-side apply', () => {
  test.each([
    [[null], "associative list without keys has an element that's an explicit null"],
    [[['a']], 'not supported: associative list with lists as elements'],
  ])('of finalizers %j', async (finalizers, why) => {
    const head = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'f', finalizers } };
    const answer = await admin.ask('PATCH', `${core('configmaps')}/f?fieldManager=t`, head, apply);
    expect([answer.code, answer.message]).toEqual([
      500,
      expect.stringContaining(`.metadata.finalizers: element 0: ${why}`),
    ]);
  });

  test('of a quantity that is none', async () => {
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q' },
      spec: { hard: { pods: '' } },
    };
    const path = `${core('resourcequotas')}/q?fieldManager=t`;
    const answer = await admin.ask('PATCH', path, quota, apply);
    expect(answer.code).toBe(500);
    expect(answer.message).toMatch(
      /^failed to convert new object \(\/q; \/v1, Kind=ResourceQuota\) to proper version: unable to/,
    );
  });
});

test('a LimitRange needs no name, and one that is not there is created by an update', async () => {
  const spec = { limits: [{ type: 'Container', max: { cpu: '2' } }] };
  const { code, body } = await admin.ask('POST', core('limitranges'), { spec });
  expect([code, body.metadata]).toMatchObject([
    201,
    { name: expect.stringMatching(/^[0-9a-f-]{36}$/) },
  ]);
  const path = `${core('limitranges')}/${world.fresh('limits')}`;
  const put = await admin.ask('PUT', path, { metadata: { name: path.split('/').at(-1) }, spec });
  expect(put.code).toBe(201);
});

test('nothing waits for what belongs to an Event', async () => {
  const involvedObject = { kind: 'Pod', name: 'p', namespace };
  const path = await made(core('events'), {
    metadata: { name: 'waits', finalizers: ['example.com/f'] },
    involvedObject,
  });
  const { body } = await admin.ask(
    'DELETE',
    `${core('events')}/waits?dryRun=All&propagationPolicy=Foreground`,
  );
  expect(path).toBeTruthy();
  expect((body.metadata as { finalizers: string[] }).finalizers).toEqual(['example.com/f']);
  await admin.ask('PATCH', `${core('events')}/waits`, { metadata: { finalizers: null } }, merge);
});

test('a job without a name is told to need one, and nothing else', async () => {
  const { message } = await admin.ask('POST', `/apis/batch/v1/namespaces/${namespace}/jobs`, {
    spec: { template: { spec: { containers, restartPolicy: 'Never' } } },
  });
  expect(message).toBe(
    'Job.batch "" is invalid: metadata.name: Required value: name or generateName is required',
  );
});

test.each([
  ['/api/v1/namespaces', {}],
  [`/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies`, undefined],
])('%s: preconditions and metadata of a status', async (collection, object) => {
  if (object !== undefined) {
    const path = await made(collection, object);
    const { message } = await admin.ask('DELETE', path, { preconditions: { uid: 'x' } });
    expect(message).toContain('Precondition failed: UID in precondition: x, UID in object meta: ');
    await admin.ask('DELETE', path);
    return;
  }
  const path = await made(collection, {
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: ['never'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['x'] },
        ],
      },
      validations: [{ expression: 'true' }],
    },
  });
  const patch = { metadata: { labels: { b: 'c' } } };
  const { body } = await admin.ask('PATCH', `${path}/status`, patch, merge);
  expect(body.metadata).not.toHaveProperty('labels');
  await admin.ask('DELETE', path);
});

test.each([
  [
    'limitranges',
    { spec: { limits: [{ type: 'other' }] } },
    'must be a standard limit type or fully qualified',
  ],
  [
    'persistentvolumeclaims',
    {
      spec: {
        volumeMode: '',
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1' } },
      },
    },
    'spec.volumeMode: Unsupported value: ""',
  ],
])('%s with a word that is none', async (plural, object, message) => {
  const answer = await admin.ask('POST', core(plural), { metadata: { name: 'none' }, ...object });
  expect([answer.code, answer.message]).toEqual([422, expect.stringContaining(message)]);
});

test.each(['nodes', 'namespaces'])(
  '%s are in no namespace that could be selected',
  async (plural) => {
    const path = `/api/v1/${plural}?fieldSelector=metadata.namespace%3Ddefault`;
    expect((await admin.ask('GET', path)).message).toBe(
      'field label not supported: metadata.namespace',
    );
  },
);
