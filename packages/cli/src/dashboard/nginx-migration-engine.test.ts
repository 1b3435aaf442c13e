import { startTestServer, type TestServer } from '@waygate/apiserver';
import type { Person } from '@waygate/dashboard';
import { KubeClient, staticToken } from '@waygate/kube';
import { type DynamicObject, type Kind, kinds } from '@waygate/schema';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nginxMigrationEngine } from './nginx-migration-engine.ts';

let api: TestServer;
const clients: KubeClient[] = [];
const { signal } = new AbortController();

beforeAll(async () => {
  api = await startTestServer({ tokens: [{ token: 'token-of-anna', username: 'anna' }] });
  const admin = personOf('admin', api.adminToken);
  const create = (kind: unknown, object: object) =>
    admin.client.resource(kind as Kind).create(object as DynamicObject);
  for (const name of ['anna', 'bert']) await create(kinds.Namespace, { metadata: { name } });
  await create(kinds.IngressClass, {
    metadata: { name: 'nginx' },
    spec: { controller: 'k8s.io/ingress-nginx' },
  });
  await create(kinds.Ingress, ingress('anna', 'plain', {}));
  await create(kinds.Ingress, ingress('bert', 'odd', { 'auth-url': 'not an address' }));
  await create(
    kinds.Ingress,
    ingress('anna', 'snippet', {
      'configuration-snippet': 'access_by_lua_block { ngx.exit(403) }',
    }),
  );
  // Snippets count for nothing unless it was told to take them.
  const flags = '--configmap=ingress-nginx/controller';
  const containers = [{ name: 'controller', image: 'ingress-nginx/controller:v1', args: [flags] }];
  const labels = { app: 'nginx' };
  await create(kinds.Namespace, { metadata: { name: 'ingress-nginx' } });
  await create(kinds.Deployment, {
    metadata: { name: 'controller', namespace: 'ingress-nginx' },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  });
  await create(kinds.ConfigMap, {
    metadata: { name: 'controller', namespace: 'ingress-nginx' },
    data: { 'annotations-risk-level': 'Critical', 'allow-snippet-annotations': 'true' },
  });
  await create(kinds.ClusterRole, {
    metadata: { name: 'reader' },
    rules: [
      { apiGroups: ['networking.k8s.io'], resources: ['ingresses'], verbs: ['get', 'list'] },
      { apiGroups: [''], resources: ['services'], verbs: ['get', 'list'] },
    ],
  });
  await create(kinds.RoleBinding, {
    metadata: { name: 'reader', namespace: 'anna' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reader' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'anna' }],
  });
});

afterAll(async () => {
  for (const client of clients) await client.close();
  await api.stop();
});

function personOf(name: string, token: string): Person {
  const client = new KubeClient({
    server: api.url,
    namespace: 'default',
    credentials: staticToken(token),
  });
  clients.push(client);
  return { name, key: name, client };
}

function ingress(namespace: string, name: string, annotations: Readonly<Record<string, string>>) {
  const prefixed = Object.entries(annotations).map(([key, value]) => [
    `nginx.ingress.kubernetes.io/${key}`,
    value,
  ]);
  const service = { name: 'web', port: { number: 80 } };
  const paths = [{ path: '/', pathType: 'Prefix', backend: { service } }];
  return {
    metadata: { namespace, name, annotations: Object.fromEntries(prefixed) },
    spec: { ingressClassName: 'nginx', rules: [{ host: `${name}.test`, http: { paths } }] },
  };
}

const namesOf = ({ ingresses }: Awaited<ReturnType<typeof nginxMigrationEngine.survey>>) =>
  ingresses.map(({ object }) => `${object.namespace}/${object.name}`).sort();

test('tells of every Ingress what becomes of it, worst first, and how much is used', async () => {
  const page = await nginxMigrationEngine.survey(personOf('admin', api.adminToken), [], signal);
  expect(namesOf(page)).toEqual(['anna/plain', 'anna/snippet', 'bert/odd']);
  const order = ['cannot', 'but', 'same'];
  const ranks = page.ingresses.map(({ verdict }) => order.indexOf(verdict));
  expect(ranks).toEqual(ranks.toSorted());
  expect(page.ingresses.find(({ object }) => object.name === 'snippet')?.verdict).toBe('cannot');
  expect(page.annotations.map(({ name }) => name)).toContain('configuration-snippet');
  expect(page.notes).toEqual([]);
});

test('reads as the person who looks: of their namespaces, and says what it could not read', async () => {
  const anna = personOf('anna', 'token-of-anna');
  const page = await nginxMigrationEngine.survey(anna, ['anna'], signal);
  expect(namesOf(page)).toEqual(['anna/plain', 'anna/snippet']);
  expect(page.notes.join()).toContain('IngressClass may not be listed');
  expect(JSON.stringify(page)).not.toContain('bert');
});
