import { describe, expect, test } from 'vitest';
import { admin, namespace, useAdminWorld, world } from '../../test/admin-world.ts';

/** Generations, owners of fields and what is filled in; it runs against a real server as well. */
useAdminWorld();

const merge = { 'Content-Type': 'application/merge-patch+json' };
const rbac = () => `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;

interface Answered {
  readonly metadata: {
    readonly generation?: number;
    readonly managedFields?: readonly { readonly fieldsV1: unknown }[];
  };
}

async function changed(collection: string, object: object, patch: object): Promise<Answered[]> {
  const name = world.fresh('counted');
  const made = await admin.ask('POST', collection, { metadata: { name }, ...object });
  const next = await admin.ask('PATCH', `${collection}/${name}`, patch, merge);
  await admin.ask('DELETE', `${collection}/${name}`);
  expect([made.message, next.message]).toEqual(['', '']);
  return [made.body, next.body].map((body) => body as unknown as Answered);
}

test.each([
  {
    kind: 'a CSIDriver counts its changes alone',
    collection: '/apis/storage.k8s.io/v1/csidrivers',
    object: { spec: {} },
    patch: { spec: { podInfoOnMount: true } },
    generations: [undefined, 1],
  },
  {
    kind: 'a CSIDriver does not count what is not its spec',
    collection: '/apis/storage.k8s.io/v1/csidrivers',
    object: { spec: {} },
    patch: { metadata: { labels: { a: 'b' } } },
    generations: [undefined, undefined],
  },
  {
    kind: 'a PriorityClass stays with the first',
    collection: '/apis/scheduling.k8s.io/v1/priorityclasses',
    object: { value: 7 },
    patch: { description: 'other' },
    generations: [1, 1],
  },
  {
    kind: 'an IngressClass counts both',
    collection: '/apis/networking.k8s.io/v1/ingressclasses',
    object: { spec: { controller: 'a.b/c' } },
    patch: { spec: { parameters: { kind: 'K', name: 'n', apiGroup: 'g.example.com' } } },
    generations: [1, 2],
  },
])('$kind', async ({ collection, object, patch, generations }) => {
  const answers = await changed(collection, object, patch);
  expect(answers.map(({ metadata }) => metadata.generation)).toEqual(generations);
});

describe('who owns lists', () => {
  const owned = ({ metadata }: Answered | undefined = { metadata: {} }) =>
    metadata.managedFields?.map(({ fieldsV1 }) => fieldsV1);
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];

  test('one that is never left out is owned when it is emptied, and not when it never was', async () => {
    const [made, emptied] = await changed(`${rbac()}/roles`, { rules }, { rules: [] });
    expect(owned(made)).toEqual([{ 'f:rules': {} }]);
    expect(owned(emptied)).toEqual([{ 'f:rules': {} }]);
    expect(emptied).toHaveProperty('rules', null);
    const [bare] = await changed(`${rbac()}/roles`, {}, {});
    expect(owned(bare)).toBeUndefined();
    expect(bare).toHaveProperty('rules', null);
  });

  test('a list that is left out when it is empty has a place of its own beside its values', async () => {
    const collection = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
    const spec = { policyName: 'p', validationActions: ['Audit'] };
    const [made] = await changed(collection, { spec }, {});
    expect(owned(made)).toEqual([
      {
        'f:spec': { 'f:policyName': {}, 'f:validationActions': { '.': {}, 'v:"Audit"': {} } },
      },
    ]);
  });

  test('nobody owns anything of what cannot be told apart', async () => {
    const collection = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    const secrets = [{ name: 's' }];
    const [made, vague] = await changed(collection, { secrets }, { secrets: [{}] });
    expect(owned(made)).toHaveLength(1);
    expect(owned(vague)).toBeUndefined();
  });
});

test.each([
  ['a', 'Always'],
  ['a:latest', 'Always'],
  ['host.example.com:5000/a/b', 'Always'],
  ['localhost:5000/a:1', 'IfNotPresent'],
  ['a:1', 'IfNotPresent'],
  [`a@sha256:${'0'.repeat(64)}`, 'IfNotPresent'],
  [`a:latest@sha256:${'0'.repeat(64)}`, 'Always'],
  ['Not A Name', 'IfNotPresent'],
  ['a:', 'IfNotPresent'],
])('the image %s is fetched %s', async (image, policy) => {
  const spec = { containers: [{ name: 'c', image }] };
  const labels = { app: 'a' };
  const { message, body } = await admin.ask(
    'POST',
    `/apis/apps/v1/namespaces/${namespace}/deployments?dryRun=All`,
    {
      metadata: { name: 'a' },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    },
  );
  expect(message).toBe('');
  expect(body).toHaveProperty('spec.template.spec.containers.0.imagePullPolicy', policy);
});

test('a patch that takes the version away is told that nothing in it is known', async () => {
  const name = world.fresh('config');
  const maps = `/api/v1/namespaces/${namespace}/configmaps`;
  await admin.ask('POST', maps, { metadata: { name }, data: { a: 'b' } });
  const strict = `${maps}/${name}?fieldValidation=Strict`;
  const { code, message } = await admin.ask('PATCH', strict, { apiVersion: null }, merge);
  expect(code).toBe(422);
  expect(message).toMatch(/strict decoding error: unknown field "data", unknown field "metadata"$/);
});

test.each([
  [
    'a hook without a name lacks it',
    '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
    {
      webhooks: [
        {
          name: '',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          clientConfig: { url: 'https://x.example.com' },
        },
      ],
    },
    'webhooks[0].name: Required value',
  ],
  [
    'a policy without variables has nothing of that name',
    '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    {
      spec: {
        matchConstraints: {
          resourceRules: [
            { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] },
          ],
        },
        validations: [{ expression: 'variables.v' }],
      },
    },
    "undeclared reference to 'variables'",
  ],
])('%s', async (_what, collection, object, words) => {
  const answer = await admin.ask('POST', `${collection}?dryRun=All`, {
    metadata: { name: 'wrong' },
    ...object,
  });
  expect(answer.code).toBe(422);
  expect(answer.message).toContain(words);
});
