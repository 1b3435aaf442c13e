import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

/** What other projects install; it stands beside the checkout. */
const folder = new URL('../../../../../shared/facts/crds/', import.meta.url);
const files = existsSync(folder)
  ? readdirSync(folder).filter((name) => name.endsWith('.json'))
  : [];

interface Definition {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: { readonly scope?: string };
}

/** Objects of each definition, made by its schema, and what Kubernetes 1.36.1 said to those that it refused. */
interface Recorded {
  readonly file: string;
  readonly plural: string;
  readonly object: { readonly apiVersion: string };
  readonly refusal?: string;
}

const recorded = JSON.parse(
  gunzipSync(
    readFileSync(new URL('../../test/objects-of-others.json.gz', import.meta.url)),
  ).toString(),
) as Recorded[];

const collections: Readonly<Record<string, string>> = {
  CustomResourceDefinition: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  ValidatingAdmissionPolicy: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
  ValidatingAdmissionPolicyBinding:
    '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
};

/** The definitions by their names. */
async function install(server: TestServer, file: string): Promise<Map<string, Definition>> {
  const objects = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Definition[];
  // A policy on definitions must not stand in the way of those that it comes with.
  for (const object of objects) {
    const path = collections[object.kind] as string;
    const { status, body } = await server.request('POST', path, object);
    expect([object.metadata.name, status, status === 201 ? '' : body]).toEqual([
      object.metadata.name,
      201,
      '',
    ]);
  }
  return new Map(objects.map((object) => [object.metadata.name, object]));
}

test('the definitions of others are there where it counts', () => {
  expect(files.length > 0 || process.env.CI === undefined).toBe(true);
});

test.each(files)('%s installs, and its objects are judged as by a real server', async (file) => {
  await using server = await startTestServer();
  const definitions = await install(server, file);
  const namespace = await server.namespace();
  const answers: unknown[] = [];
  const mine = recorded.filter((one) => `${one.file}.json` === file);
  for (const { plural, object } of mine) {
    const [group = ''] = object.apiVersion.split('/');
    const isWide = definitions.get(`${plural}.${group}`)?.spec.scope === 'Cluster';
    const place = isWide ? plural : `namespaces/${namespace}/${plural}`;
    const path = `/apis/${object.apiVersion}/${place}?dryRun=All`;
    const { status, body } = await server.request('POST', path, object);
    answers.push([plural, status, status === 201 ? '' : (body as { message: string }).message]);
  }
  expect(answers).toEqual(
    mine.map(({ plural, refusal }) => [plural, refusal === undefined ? 201 : 422, refusal ?? '']),
  );
  // Of each there are both sorts.
  const names = (isRefused: boolean) =>
    new Set(mine.filter((one) => (one.refusal !== undefined) === isRefused).map(nameOf));
  const kinds = [...definitions].filter(([, { kind }]) => kind === 'CustomResourceDefinition');
  expect([...names(false)].sort()).toEqual(kinds.map(([name]) => name).sort());
  expect([...names(true)].sort()).toEqual([...names(false)].sort());
});

function nameOf({ plural, object }: Recorded): string {
  return `${plural}.${object.apiVersion.split('/')[0]}`;
}

const gateway = (spec: object) => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'Gateway',
  spec: { gatewayClassName: 'x', ...spec },
});
const listener = (more: object) => ({ name: 'a', port: 80, protocol: 'HTTP', ...more });
const route = (rule: object) => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  spec: { parentRefs: [{ name: 'g' }], rules: [rule] },
});
const path = (value: string, type = 'PathPrefix') => ({ matches: [{ path: { type, value } }] });
const drain = (machines: object[]) => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineDrainRule',
  spec: { drain: { behavior: 'Drain', order: 5 }, machines },
});
const queue = (spec: object) => ({
  apiVersion: 'kueue.x-k8s.io/v1beta2',
  kind: 'ClusterQueue',
  spec,
});
const plugin = (more: object) => ({
  apiVersion: 'configuration.konghq.com/v1',
  kind: 'KongPlugin',
  plugin: 'key-auth',
  ...more,
});
const certificate = (spec: object) => ({
  apiVersion: 'cert-manager.io/v1',
  kind: 'Issuer',
  spec,
});
const receiver = (spec: object) => ({
  apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
  kind: 'Kustomization',
  spec: { interval: '1m', prune: true, sourceRef: { kind: 'GitRepository', name: 'x' }, ...spec },
});

/** Objects by definition: what is wrong with each, or nothing. */
const objects: readonly (readonly [file: string, plural: string, object: object, why?: string])[] =
  [
    ['gateway-api-1.5.1-standard', 'gateways', gateway({ listeners: [listener({})] })],
    [
      'gateway-api-1.5.1-standard',
      'gateways',
      gateway({ listeners: [listener({}), listener({ port: 81 })] }),
      'Listener name must be unique within the Gateway',
    ],
    [
      'gateway-api-1.5.1-standard',
      'gateways',
      gateway({ listeners: [listener({ tls: { certificateRefs: [{ name: 'c' }] } })] }),
      "tls must not be specified for protocols ['HTTP', 'TCP', 'UDP']",
    ],
    ['gateway-api-1.0.0-experimental', 'httproutes', route(path('/a'))],
    ['gateway-api-1.6.1-experimental', 'httproutes', route(path('/a'))],
    [
      'gateway-api-1.6.1-experimental',
      'httproutes',
      route(path('a')),
      'must be an absolute path and start with',
    ],
    [
      'gateway-api-1.6.1-experimental',
      'httproutes',
      route({
        filters: [
          { type: 'RequestRedirect', requestRedirect: {} },
          { type: 'URLRewrite', urlRewrite: { hostname: 'x' } },
        ],
      }),
      'May specify either httpRouteFilterRequestRedirect or httpRouteFilterRequestRewrite, but not both',
    ],
    [
      'gateway-api-1.3.0-standard',
      'httproutes',
      route({
        ...path('/a', 'Exact'),
        filters: [
          {
            type: 'URLRewrite',
            urlRewrite: { path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/' } },
          },
        ],
      }),
      'When using URLRewrite filter with path.replacePrefixMatch',
    ],
    ['cluster-api', 'machinedrainrules', drain([{ selector: { matchLabels: { a: 'b' } } }])],
    [
      'cluster-api',
      'machinedrainrules',
      drain([{ selector: { matchLabels: { a: 'b' } } }, { selector: { matchLabels: { a: 'b' } } }]),
      'entries in machines must be unique',
    ],
    ['kueue', 'clusterqueues', queue({ namespaceSelector: {} })],
    [
      'kueue',
      'clusterqueues',
      queue({
        resourceGroups: [
          {
            coveredResources: ['cpu'],
            flavors: [
              {
                name: 'f',
                resources: [{ name: 'cpu', nominalQuota: '1', borrowingLimit: '1' }],
              },
            ],
          },
        ],
      }),
      'borrowingLimit must be nil when cohort is empty',
    ],
    ['kong', 'kongplugins', plugin({ config: { key_names: ['k'] } })],
    [
      'kong',
      'kongplugins',
      plugin({ config: {}, configFrom: { secretKeyRef: { name: 'x', key: 'y' } } }),
      'Using both config and configFrom fields is not allowed',
    ],
    [
      'cert-manager',
      'issuers',
      certificate({ venafi: { zone: 'z', cloud: { apiTokenSecretRef: { name: 'n' } } } }),
    ],
    [
      'cert-manager',
      'issuers',
      certificate({ venafi: { zone: 'z' } }),
      'exactly one of tpp, cloud, or ngts must be configured',
    ],
    ['flux-kustomize', 'kustomizations', receiver({})],
    [
      'flux-kustomize',
      'kustomizations',
      receiver({ decryption: { provider: 'gpg' } }),
      'Unsupported value',
    ],
  ];

describe.skipIf(files.length === 0)('objects of others', () => {
  const names = [...new Set(objects.map(([file]) => file))];

  test.each(names)('of %s are taken or refused as Kubernetes does', async (file) => {
    const cases = objects.filter(([each]) => each === file);
    await using server = await startTestServer();
    await install(server, `${file}.json`);
    const namespace = await server.namespace();
    for (const [index, [, plural, object, why]] of cases.entries()) {
      const { apiVersion } = object as { apiVersion: string };
      const isCluster = plural === 'clusterqueues';
      const place = isCluster ? plural : `namespaces/${namespace}/${plural}`;
      const named = { ...object, metadata: { name: `o${index}` } };
      const { status, body } = await server.request('POST', `/apis/${apiVersion}/${place}`, named);
      const { message = '' } = body as { message?: string };
      expect([named, status, message]).toEqual([
        named,
        why === undefined ? 201 : 422,
        why === undefined ? '' : expect.stringContaining(why),
      ]);
    }
  });
});
