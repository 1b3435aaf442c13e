import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AccessWorld, startAccessWorld } from '../testing/access-world.ts';

let world: AccessWorld;

beforeAll(async () => {
  world = await startAccessWorld();
});

afterAll(() => world.stop());

test.each([
  ['/healthz', 200],
  ['/livez', 200],
  ['/readyz', 200],
  ['/version', 200],
  ['/api', 403],
  ['/apis', 403],
  ['/openapi/v2', 403],
  ['/metrics', 403],
  ['/', 403],
  ['/.well-known/openid-configuration', 403],
  ['/api/v1/namespaces', 403],
  ['/apis/rbac.authorization.k8s.io/v1/clusterroles', 403],
])('without credentials %s: %d', async (path, code) => {
  const verdict = await world.holder(undefined).ask('GET', path);
  expect(verdict.code).toBe(code);
  if (code !== 403) return;
  expect(verdict.message).toContain('User "system:anonymous" cannot');
});

test('without credentials nothing is reviewed', async () => {
  for (const path of [
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    '/apis/authentication.k8s.io/v1/tokenreviews',
    '/apis/authentication.k8s.io/v1/selfsubjectreviews',
  ]) {
    expect((await world.holder(undefined).ask('POST', path, {})).code).toBe(403);
  }
});

test('a wrong token is not no token', async () => {
  expect((await world.holder('wrong').ask('GET', '/version')).code).toBe(401);
});

describe('groups', () => {
  test.each([
    [['system:nodes'], 403],
    [['system:masters'], 200],
    [['system:serviceaccounts'], 403],
    [['cluster-admin'], 403],
    [['system:bootstrappers'], 403],
  ])('%o reads Secrets: %d', async (groups, code) => {
    const who = await world.user([], '', groups);
    expect((await who.ask('GET', '/api/v1/namespaces/kube-system/secrets')).code).toBe(code);
  });

  test('who is authenticated sees what there is, and what they may', async () => {
    const who = await world.user();
    for (const path of ['/api', '/apis', '/openapi/v2', '/api/v1', '/version'])
      expect((await who.ask('GET', path)).code).toBe(200);
    const review = { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } };
    const { body } = await who.ask(
      'POST',
      '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      review,
    );
    expect(body.status).toEqual({ allowed: false });
  });
});

test('an access review tells the truth of every request', async () => {
  const namespace = await world.namespace();
  const who = await world.user(
    [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'], resourceNames: ['a'] },
      { apiGroups: [''], resources: ['pods', '*/log'], verbs: ['*'] },
    ],
    namespace,
  );
  for (const resource of ['configmaps', 'pods', 'secrets']) {
    for (const [verb, name] of [
      ['get', 'a'],
      ['get', 'b'],
      ['list', ''],
    ] as const) {
      for (const space of [namespace, 'default']) {
        const attributes = { verb, resource, name, namespace: space };
        const review = { spec: { resourceAttributes: attributes } };
        const { body } = await who.ask(
          'POST',
          '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
          review,
        );
        const about = await world.admin.ask(
          'POST',
          '/apis/authorization.k8s.io/v1/subjectaccessreviews',
          {
            spec: { ...review.spec, user: who.name },
          },
        );
        const path = `/api/v1/namespaces/${space}/${resource}${name === '' ? '' : `/${name}`}`;
        const isAllowed = (await who.ask('GET', path)).code !== 403;
        const told = body.status as { allowed: boolean };
        expect({ attributes, allowed: told.allowed }).toEqual({ attributes, allowed: isAllowed });
        expect(about.body.status).toEqual(body.status);
      }
    }
  }
});

test('a rules review lists the rules of the namespace and of the cluster', async () => {
  const namespace = await world.namespace();
  const rule = { verbs: ['get'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['a'] };
  const who = await world.user([rule], namespace);
  const ask = async (space: string) =>
    (
      await who.ask('POST', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
        spec: { namespace: space },
      })
    ).body.status as { resourceRules: object[]; nonResourceRules: object[] };
  expect((await ask(namespace)).resourceRules).toContainEqual(rule);
  expect((await ask('default')).resourceRules).not.toContainEqual(rule);
  expect(JSON.stringify((await ask('default')).nonResourceRules)).toContain('/version');
});
