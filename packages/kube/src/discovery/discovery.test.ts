import { afterEach, describe, expect, it } from 'vitest';
import { type Answer, ScriptedServer, sendJson } from '../../test/scripted-server.ts';
import { KubeClient } from '../client.ts';
import { isNoMatch } from '../error-predicate.ts';
import { RestMapper } from './rest-mapper.ts';

const running: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of running.splice(0).reverse()) await one.close();
});

async function serve(answer: Answer) {
  const server = await ScriptedServer.start(answer);
  const client = new KubeClient({ server: server.url, namespace: '' });
  running.push(server, client);
  return { server, client };
}

const verbs = ['get', 'list'];
const pods = {
  resource: 'pods',
  responseKind: { kind: 'Pod' },
  scope: 'Namespaced',
  singularResource: 'pod',
  shortNames: ['po'],
  verbs,
  subresources: [{ subresource: 'log', responseKind: { kind: 'Pod' }, verbs: ['get'] }],
};
const deployments = {
  resource: 'deployments',
  responseKind: { group: 'apps', version: 'v1', kind: 'Deployment' },
  scope: 'Namespaced',
  singularResource: 'deployment',
  shortNames: ['deploy'],
  categories: ['all'],
  verbs,
};

const aggregated: Answer = (response, request) => {
  const items =
    request.url === '/api'
      ? [{ metadata: {}, versions: [{ version: 'v1', resources: [pods] }] }]
      : [
          {
            metadata: { name: 'apps' },
            versions: [
              { version: 'v1', resources: [deployments] },
              { version: 'v1beta1', resources: [deployments] },
            ],
          },
          { metadata: { name: 'down.io' }, versions: [{ version: 'v1', freshness: 'Stale' }] },
        ];
  sendJson(response, { kind: 'APIGroupDiscoveryList', items });
};

const legacy: Answer = (response, request) => {
  const answers: Record<string, unknown> = {
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': {
      kind: 'APIGroupList',
      groups: [
        {
          name: 'apps',
          versions: [{ version: 'v1beta1' }, { version: 'v1' }],
          preferredVersion: { version: 'v1' },
        },
        { name: 'down.io', versions: [{ version: 'v1' }] },
      ],
    },
    '/api/v1': {
      resources: [
        {
          name: 'pods',
          singularName: 'pod',
          namespaced: true,
          kind: 'Pod',
          verbs,
          shortNames: ['po'],
        },
        { name: 'pods/log', namespaced: true, kind: 'Pod', verbs: ['get'] },
      ],
    },
    '/apis/apps/v1': {
      resources: [
        {
          name: 'deployments',
          namespaced: true,
          kind: 'Deployment',
          verbs,
          shortNames: ['deploy'],
          categories: ['all'],
        },
      ],
    },
    '/apis/apps/v1beta1': {
      resources: [
        {
          name: 'deployments',
          namespaced: true,
          kind: 'Deployment',
          verbs,
          shortNames: ['deploy'],
          categories: ['all'],
        },
      ],
    },
  };
  if (answers[request.url] === undefined) sendJson(response, {}, 503);
  else sendJson(response, answers[request.url]);
};

describe.each([
  ['aggregated', aggregated, 2],
  ['legacy', legacy, 6],
])('%s discovery', (_name, answer, requests) => {
  it('tells what the server serves, and what does not answer', async () => {
    const { client, server } = await serve(answer);
    const surface = await client.discovery.surface();
    expect(surface.groups).toEqual([
      { name: '', versions: ['v1'] },
      { name: 'apps', versions: ['v1', 'v1beta1'] },
      { name: 'down.io', versions: ['v1'] },
    ]);
    expect(surface.resources.map((one) => `${one.group}/${one.version}/${one.plural}`)).toEqual([
      '/v1/pods',
      'apps/v1/deployments',
      'apps/v1beta1/deployments',
    ]);
    expect(surface.resources[0]).toMatchObject({
      kind: 'Pod',
      scope: 'Namespaced',
      singular: 'pod',
      subresources: [{ name: 'log', kind: 'Pod', verbs: ['get'] }],
    });
    expect([...surface.failures.keys()]).toEqual(['down.io/v1']);
    expect(server.requests).toHaveLength(requests);
  });

  it('maps kinds and what people type', async () => {
    const { client, server } = await serve(answer);
    const { mapper } = client;
    expect(await mapper.resourceOf({ group: 'apps', kind: 'Deployment' })).toMatchObject({
      version: 'v1',
    });
    const names = [
      'deploy',
      'Deployment',
      'deployments.apps',
      'deployments.v1beta1.apps',
      'po',
      'pods.v1',
    ];
    const found = await Promise.all(names.map((name) => mapper.resourceNamed(name)));
    expect(found.map((one) => `${one.version} ${one.plural}`)).toEqual([
      'v1 deployments',
      'v1 deployments',
      'v1 deployments',
      'v1beta1 deployments',
      'v1 pods',
      'v1 pods',
    ]);
    const resource = await client.resourceOf({ apiVersion: 'apps/v1', kind: 'Deployment' });
    expect(resource.kind.plural).toBe('deployments');
    await expect(client.resourceOf({ apiVersion: 'x/v1', kind: 'Nope' })).rejects.toSatisfy(
      isNoMatch,
    );
    expect(server.requests).toHaveLength(requests);
  });
});

it('asks again for a kind that is not known, but not all the time', async () => {
  let hasWidgets = false;
  const { client, server } = await serve((response, request) => {
    const widgets = {
      resource: 'widgets',
      responseKind: { kind: 'Widget' },
      scope: 'Cluster',
      verbs,
    };
    const items =
      request.url === '/apis' && hasWidgets
        ? [
            {
              metadata: { name: 'example.com' },
              versions: [{ version: 'v1', resources: [widgets] }],
            },
          ]
        : [];
    sendJson(response, { kind: 'APIGroupDiscoveryList', items });
  });
  let now = 0;
  const mapper = new RestMapper(client.discovery, { now: () => now, minRefreshMs: 1000 });
  const widget = { group: 'example.com', version: 'v1', kind: 'Widget' };
  await expect(mapper.resourceOf(widget)).rejects.toSatisfy(isNoMatch);
  hasWidgets = true;
  await expect(mapper.resourceOf(widget)).rejects.toSatisfy(isNoMatch);
  expect(server.requests).toHaveLength(2);
  now = 1000;
  const both = await Promise.all([mapper.resourceOf(widget), mapper.resourceOf(widget)]);
  expect(both[0]).toMatchObject({ plural: 'widgets', scope: 'Cluster' });
  expect(server.requests).toHaveLength(4);
});

it('takes a name for what is called just that before what is called that for short', async () => {
  const resource = (name: string, kind: string, shortNames: string[] = []) => ({
    resource: name,
    responseKind: { kind },
    scope: 'Cluster',
    verbs,
    shortNames,
  });
  const group = (name: string, ...resources: object[]) => ({
    metadata: { name },
    versions: [{ version: 'v1', resources }],
  });
  const { client } = await serve((response, request) =>
    sendJson(response, {
      kind: 'APIGroupDiscoveryList',
      items:
        request.url === '/apis'
          ? [
              group('a.io', resource('gateways', 'Gateway', ['gw', 'ways'])),
              group('b.io', resource('ways', 'Way')),
            ]
          : [],
    }),
  );
  const groupOf = async (name: string) => (await client.mapper.resourceNamed(name)).group;
  expect(await Promise.all(['ways', 'gw', 'ways.a.io'].map(groupOf))).toEqual([
    'b.io',
    'a.io',
    'a.io',
  ]);
});

it('tells the version of the server', async () => {
  const { client } = await serve((response) =>
    sendJson(response, { major: '1', minor: '36', gitVersion: 'v1.36.4' }),
  );
  expect((await client.discovery.serverVersion()).gitVersion).toBe('v1.36.4');
});
