import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Fields } from '../builtins/fields.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';
import { podSecurityViolations, violationText } from './pod-security-standard.ts';

interface RecordedPod {
  readonly spec: Fields;
  readonly annotations?: Record<string, string>;
  readonly baseline: string;
  readonly restricted: string;
}

// What a real kube-apiserver 1.36 says of each pod; nothing where it is let in.
const recorded = JSON.parse(
  readFileSync(new URL('testdata/pod-security.json', import.meta.url), 'utf8'),
) as RecordedPod[];

test.each(recorded.map((each, index) => [index, each] as const))('pod %i', (_, each) => {
  const pod = { spec: each.spec, metadata: { annotations: each.annotations ?? {} } };
  expect(violationText(podSecurityViolations(pod, 'baseline'))).toBe(each.baseline);
  expect(violationText(podSecurityViolations(pod, 'restricted'))).toBe(each.restricted);
  expect(podSecurityViolations(pod, 'privileged')).toEqual([]);
});

const label = 'pod-security.kubernetes.io';
const broken =
  'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")';
const spec = { containers: [{ name: 'c', image: 'i' }] };
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** A request as the administrator, with the warnings of the answer. */
async function ask(method: string, path: string, body: unknown) {
  const type = method === 'PATCH' ? 'application/strategic-merge-patch+json' : 'application/json';
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${server.adminToken}`, 'Content-Type': type },
    body: JSON.stringify(body),
  });
  const { message } = (await response.json()) as { message?: string };
  const warning = response.headers.get('warning') ?? '';
  return { status: response.status, message, warning: warning.replaceAll('\\"', '"') };
}

const pod = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec });
const namespace = (name: string, labels: Record<string, string>) =>
  ask('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels },
  });

test('a namespace without labels asks for nothing, and a neighbour that enforces changes nothing there', async () => {
  await namespace('strict', { [`${label}/enforce`]: 'restricted' });
  await namespace('free', {});
  expect(await ask('POST', '/api/v1/namespaces/free/pods', pod('p'))).toEqual({
    status: 201,
    message: undefined,
    warning: '',
  });
  expect(await ask('POST', '/api/v1/namespaces/strict/pods', pod('p'))).toEqual({
    status: 403,
    message: `pods "p" is forbidden: violates PodSecurity "restricted:latest": ${broken}`,
    warning: '',
  });
});

test('workloads are warned of, by the level for warnings or else by the enforced one', async () => {
  await namespace('warned', {
    [`${label}/warn`]: 'restricted',
    [`${label}/warn-version`]: 'v1.30',
  });
  const workload = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd' },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec },
    },
  };
  for (const [place, level] of [
    ['warned', 'restricted:v1.30'],
    ['strict', 'restricted:latest'],
  ]) {
    const answer = await ask('POST', `/apis/apps/v1/namespaces/${place}/deployments`, workload);
    expect(answer.status).toBe(201);
    expect(answer.warning).toBe(`299 - "would violate PodSecurity "${level}": ${broken}"`);
  }
});

test('pods that are there stay, may change what does not matter, and are told of', async () => {
  await namespace('old', {});
  for (const name of ['a', 'b']) await ask('POST', '/api/v1/namespaces/old/pods', pod(name));
  const labels = { [`${label}/enforce`]: 'restricted' };
  const told = await ask('PATCH', '/api/v1/namespaces/old', { metadata: { labels } });
  expect(told.status).toBe(200);
  expect(told.warning).toContain(
    'existing pods in namespace "old" violate the new PodSecurity enforce level "restricted:latest"',
  );
  expect(told.warning).toContain(
    'a (and 1 other pod): allowPrivilegeEscalation != false, unrestricted capabilities',
  );
  const again = await ask('PATCH', '/api/v1/namespaces/old', { metadata: { labels: { x: 'y' } } });
  expect(again.warning).toBe('');
  const path = '/api/v1/namespaces/old/pods/a';
  expect((await ask('PATCH', path, { metadata: { labels: { x: 'y' } } })).status).toBe(200);
  const image = { spec: { containers: [{ name: 'c', image: 'j' }] } };
  expect((await ask('PATCH', path, image)).message).toContain('violates PodSecurity');
  const beside = { spec: { ephemeralContainers: [{ name: 'd', image: 'j' }] } };
  expect((await ask('PATCH', `${path}/ephemeralcontainers`, beside)).message).toContain(
    'containers "c", "d" must set securityContext.allowPrivilegeEscalation=false',
  );
});

test.each([
  [
    { enforce: 'x' },
    'enforce]: Invalid value: "x": must be one of privileged, baseline, restricted',
  ],
  [{ 'warn-version': 'v2' }, 'warn-version]: Invalid value: "v2": must be "latest" or "v1.x"'],
])('labels %j are refused', async (given, why) => {
  const labels = Object.fromEntries(
    Object.entries(given).map(([key, value]) => [`${label}/${key}`, value]),
  );
  expect((await namespace('wrong', labels as Record<string, string>)).message).toBe(
    `Namespace "wrong" is invalid: metadata.labels[${label}/${why}`,
  );
});

test('it can be turned off', async () => {
  await using off = await startTestServer({
    cluster: { disabledPlugins: new Set(['PodSecurity']) },
  });
  await off.request('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'strict', labels: { [`${label}/enforce`]: 'restricted' } },
  });
  expect((await off.request('POST', '/api/v1/namespaces/strict/pods', pod('p'))).status).toBe(201);
});
