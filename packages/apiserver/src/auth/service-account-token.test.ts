import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AccessWorld, startAccessWorld, type Verdict } from '../testing/access-world.ts';

let world: AccessWorld;
let namespace: string;

beforeAll(async () => {
  world = await startAccessWorld();
  namespace = await world.namespace();
  await world.admin.ask('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, {
    metadata: { name: 'default' },
  });
});

afterAll(() => world.stop());

const issuer = 'https://kubernetes.default.svc.cluster.local';
const place = (plural: string) => `/api/v1/namespaces/${namespace}/${plural}`;

async function account(): Promise<string> {
  const name = world.fresh('sa');
  await world.admin.ask('POST', place('serviceaccounts'), { metadata: { name } });
  return name;
}

const request = (name: string, spec: object = {}, metadata: object = {}) =>
  world.admin.ask('POST', `${place('serviceaccounts')}/${name}/token`, { spec, metadata });

const tokenOf = ({ body }: Verdict) => (body as { status: { token: string } }).status.token;

function claims(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString());
}

const whoAmI = async (token: string) =>
  world.holder(token).ask('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {});

async function pod(
  serviceAccountName: string,
  nodeName = '',
): Promise<{ name: string; uid: string }> {
  const name = world.fresh('pod');
  const { body } = await world.admin.ask('POST', place('pods'), {
    metadata: { name },
    spec: {
      serviceAccountName,
      ...(nodeName === '' ? {} : { nodeName }),
      automountServiceAccountToken: false,
      containers: [{ name: 'c', image: 'i' }],
    },
  });
  return { name, uid: (body as { metadata: { uid: string } }).metadata.uid };
}

test.each([
  [
    599,
    'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
  ],
  [
    2 ** 32 + 1,
    'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
  ],
  [600, ''],
])('a token for %d seconds', async (expirationSeconds, refusal) => {
  const verdict = await request(await account(), { expirationSeconds });
  expect(verdict.message).toBe(refusal);
  if (refusal !== '') return;
  const { exp, iat } = claims(tokenOf(verdict)) as { exp: number; iat: number };
  expect(exp - iat).toBe(expirationSeconds);
});

test('the body may name the account of the path and no other', async () => {
  const name = await account();
  expect((await request(name, {}, { name: 'other' })).message).toBe(
    `TokenRequest.authentication.k8s.io "${name}" is invalid: metadata.name: Invalid value: "other": must match the service account name if specified`,
  );
  expect((await request(name, {}, { uid: 'other' })).code).toBe(409);
  expect((await request(name, {}, { name })).code).toBe(201);
  expect((await request('none')).code).toBe(404);
});

test('a token for other ears opens nothing here', async () => {
  const name = await account();
  expect((await whoAmI(tokenOf(await request(name, { audiences: ['vault'] })))).code).toBe(401);
  expect((await whoAmI(tokenOf(await request(name, { audiences: ['vault', issuer] })))).code).toBe(
    201,
  );
  expect((await whoAmI(tokenOf(await request(name)))).code).toBe(201);
});

test('a right on one account is none on another', async () => {
  const mine = await account();
  const other = await account();
  const who = await world.user(
    [
      {
        apiGroups: [''],
        resources: ['serviceaccounts/token'],
        verbs: ['create'],
        resourceNames: [mine],
      },
    ],
    namespace,
  );
  const ask = (name: string) => who.ask('POST', `${place('serviceaccounts')}/${name}/token`, {});
  expect((await ask(mine)).code).toBe(201);
  expect((await ask(other)).message).toBe(
    `serviceaccounts "${other}" is forbidden: User "${who.name}" cannot create resource "serviceaccounts/token" in API group "" in the namespace "${namespace}"`,
  );
});

describe('a bound token', () => {
  test('is of the account that the pod runs as', async () => {
    const name = await account();
    const other = await pod(await account());
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: other.name };
    expect((await request(name, { boundObjectRef })).message).toBe(
      `cannot bind token for serviceaccount "${name}" to pod running with different serviceaccount name.`,
    );
  });

  test.each([
    [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'x' },
      400,
      'cannot bind token to object of type /v1, Kind=ConfigMap',
    ],
    [
      { apiVersion: 'apps/v1', kind: 'Pod', name: 'x' },
      400,
      'cannot bind token to object of type apps/v1, Kind=Pod',
    ],
    [{ apiVersion: 'v1', kind: 'Pod', name: 'none' }, 404, 'pods "none" not found'],
    [{ apiVersion: 'v1', kind: 'Secret', name: 'none' }, 404, 'secrets "none" not found'],
    [{ apiVersion: 'v1', kind: 'Node', name: 'none' }, 404, 'nodes "none" not found'],
  ])('to %o: %d', async (boundObjectRef, code, message) => {
    const verdict = await request(await account(), { boundObjectRef });
    expect([verdict.code, verdict.message]).toEqual([code, message]);
  });

  test('of another uid is refused', async () => {
    const name = await account();
    const { name: podName, uid } = await pod(name);
    const ref = { apiVersion: 'v1', kind: 'Pod', name: podName };
    expect((await request(name, { boundObjectRef: { ...ref, uid: 'other' } })).message).toBe(
      `Operation cannot be fulfilled on Pod "${podName}": the UID in the bound object reference (other) does not match the UID in record. The object might have been deleted and then recreated`,
    );
    expect((await request(name, { boundObjectRef: { ...ref, uid } })).code).toBe(201);
  });

  test('says which pod and node, and dies with the pod', async () => {
    const name = await account();
    const { name: podName, uid } = await pod(name, 'some-node');
    const token = tokenOf(
      await request(name, { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: podName } }),
    );
    const me = await whoAmI(token);
    expect((me.body as { status: { userInfo: object } }).status.userInfo).toMatchObject({
      username: `system:serviceaccount:${namespace}:${name}`,
      extra: {
        'authentication.kubernetes.io/pod-name': [podName],
        'authentication.kubernetes.io/pod-uid': [uid],
        'authentication.kubernetes.io/node-name': ['some-node'],
      },
    });
    await world.admin.ask('DELETE', `${place('pods')}/${podName}?gracePeriodSeconds=0`);
    await expect.poll(async () => (await whoAmI(token)).code, { timeout: 30_000 }).toBe(401);
  });

  test.each(['Secret', 'Node'])('dies with its %s', async (kind) => {
    const name = await account();
    const bound = world.fresh('bound');
    const at = kind === 'Node' ? '/api/v1/nodes' : place('secrets');
    await world.admin.ask('POST', at, { metadata: { name: bound } });
    const token = tokenOf(
      await request(name, { boundObjectRef: { apiVersion: 'v1', kind, name: bound } }),
    );
    expect((await whoAmI(token)).code).toBe(201);
    await world.admin.ask('DELETE', `${at}/${bound}`);
    await expect.poll(async () => (await whoAmI(token)).code, { timeout: 30_000 }).toBe(401);
    // One of the same name is not the same.
    await world.admin.ask('POST', at, { metadata: { name: bound } });
    expect((await whoAmI(token)).code).toBe(401);
  });

  test('dies with its account, and does not come back with one of its name', async () => {
    const name = await account();
    const token = tokenOf(await request(name));
    await world.admin.ask('DELETE', `${place('serviceaccounts')}/${name}`);
    await expect.poll(async () => (await whoAmI(token)).code, { timeout: 30_000 }).toBe(401);
    await world.admin.ask('POST', place('serviceaccounts'), { metadata: { name } });
    expect((await whoAmI(token)).code).toBe(401);
  });
});

describe('a token that is not one', () => {
  test.each([
    [
      'changed claims',
      (token: string) => {
        const [head, , signature] = token.split('.');
        const forged = { ...claims(token), sub: 'system:serviceaccount:kube-system:admin' };
        return `${head}.${Buffer.from(JSON.stringify(forged)).toString('base64url')}.${signature}`;
      },
    ],
    [
      'no signature, and says so',
      (token: string) => {
        const head = Buffer.from('{"alg":"none"}').toString('base64url');
        return `${head}.${token.split('.')[1]}.`;
      },
    ],
    [
      'another algorithm',
      (token: string) => {
        const head = Buffer.from('{"alg":"HS256"}').toString('base64url');
        const [, payload, signature] = token.split('.');
        return `${head}.${payload}.${signature}`;
      },
    ],
    ['two parts', (token: string) => token.split('.').slice(0, 2).join('.')],
    ['nothing much', () => 'x'],
  ])('%s: 401', async (_title, forge) => {
    const token = tokenOf(await request(await account()));
    expect((await whoAmI(forge(token))).code).toBe(401);
  });
});
