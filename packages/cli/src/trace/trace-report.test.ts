import { describe, expect, test } from 'vitest';
import { addressOf, conditionsOf, nameOf, traceData, traceText } from './trace-report.ts';

const route = { id: 'r-1', name: 'shop', hosts: ['a.example'], paths: ['/x'] };
const service = { protocol: 'https', host: 'web.svc', port: 8443 };
const entry = { route, service } as never;
const passed = Array.from({ length: 7 }, (_one, index) => ({
  entry: { route: { id: `id-${index}` } },
  mismatches:
    index === 0
      ? []
      : [
          { field: 'host', wanted: 'b' },
          { field: 'path', wanted: '/y' },
        ],
}));
const object = (kind: string, name: string, namespace = 'default') => ({ kind, name, namespace });
const source = { kind: 'GitRepository', namespace: 'flux', name: 'fleet', url: 'https://g' };
const kustomization = { namespace: 'flux', name: 'apps' };
const commits = [
  {
    object: object('Ingress', 'shop'),
    file: 'a.yaml:3',
    revision: 'main@sha1:c',
    source,
    kustomization,
  },
  {
    object: object('Service', 'web'),
    file: 'b.yaml',
    revision: 'main@sha1:c',
    source,
    kustomization,
  },
  { object: object('Namespace', 'n', ''), revision: 'v1', source: { ...source, url: undefined } },
  { object: object('Secret', 's'), stopped: 'nobody applied it' },
];
const match = { entry, upstreamPath: '/x' };
const gateway = {
  match,
  plugins: [{ name: 'cors', scope: 'route', config: {} }],
  consumerPlugins: 2,
  targets: [{ target: '10.0.0.1:80', weight: 100, health: 'HEALTHY' }],
  passed,
  isWithoutTargets: false,
};
const trace = (changes: object = {}, more: object = {}) =>
  ({
    request: { line: 'GET http://a.example/x' },
    gateway: { ...gateway, ...changes },
    commits,
    ...more,
  }) as never;
const unserved = {
  object: { kind: 'HTTPRoute', metadata: { namespace: 'default', name: 'h' } },
  field: 'spec.parentRefs',
  message: 'no Gateway',
  fix: 'make one',
};

describe('a trace for people', () => {
  test('goes from the request to the target, and back to the commits', () => {
    const text = traceText(trace(), false).replaceAll(/ +$/gm, '');
    expect(text.split('\n').map((line) => line.replaceAll(/ {2,}/g, '  '))).toEqual([
      'GET http://a.example/x',
      '',
      expect.stringMatching(/^route +shop {2}hosts a\.example, paths \/x$/),
      expect.stringMatching(/^plugin +cors {2}\(route\)$/),
      expect.stringMatching(/^ +and 2 more for certain consumers$/),
      expect.stringMatching(/^service +https:\/\/web\.svc:8443\/x$/),
      expect.stringMatching(/^target +10\.0\.0\.1:80 {2}weight 100 {2}HEALTHY$/),
      '',
      'from commit main@sha1:c, GitRepository flux/fleet (https://g), Kustomization flux/apps',
      expect.stringMatching(/^ {2}Ingress default\/shop +a\.yaml:3$/),
      expect.stringMatching(/^ {2}Service default\/web +b\.yaml$/),
      '',
      'from revision v1, GitRepository flux/fleet',
      '  Namespace n',
      '',
      'from nobody applied it',
      '  Secret default/s',
      '',
      'Other routes:',
      '  id-0: matches too, but comes later',
      ...[1, 2, 3, 4].map((index) => `  id-${index}: does not match host b, path /y`),
      '  and 2 more (--all shows them)',
    ]);
  });

  test('shows all routes when that is wanted, and none where there is none', () => {
    const all = traceText(trace(), true);
    expect(all).toContain('id-6');
    expect(all).not.toContain('--all shows them');
    expect(traceText(trace({ passed: passed.slice(0, 5) }), false)).not.toContain('more (--all');
    expect(traceText(trace({ passed: [] }), false)).not.toContain('Other routes');
  });

  test('says that there is no route, no service, no target and no commit', () => {
    const none = traceText(trace({ match: undefined }, { commits: [] }), false);
    expect(none).toContain('No route takes this request: the answer is 404.');
    expect(none).not.toContain('k8s-*');
    const bare = traceText(
      trace(
        { match: { entry: { route }, upstreamPath: '/' }, consumerPlugins: 0, targets: [] },
        { commits: [] },
      ),
      false,
    );
    expect(bare).toContain('none, or not enabled');
    expect(bare).toContain('The route has no k8s-* tags');
    expect(bare).not.toContain('certain consumers');
    const empty = trace({ targets: [], isWithoutTargets: true });
    expect(traceText(empty, false)).toContain('no targets: the answer is 503');
    const missing = { message: 'no endpoint is ready', fix: 'start one' };
    const told = traceText(trace({ targets: [], isWithoutTargets: true }, { missing }), false);
    expect(told).toContain('no endpoint is ready');
    expect(told).toContain('→ start one');
    expect(told).not.toContain('the answer is 503');
  });

  test('names who would take it', () => {
    const one = traceText(trace({}, { unserved: [unserved] }), false);
    expect(one).toContain('Would take it, but is not served:\n  ');
    const two = traceText(trace({}, { unserved: [unserved, unserved] }), false);
    expect(two).toContain('Would take it, but are not served:\n  ');
    expect(traceText(trace(), false)).not.toContain('Would take it');
  });
});

test('a trace as data', () => {
  const missing = { message: 'm', fix: 'f' };
  expect(traceData(trace({}, { unserved: [unserved], missing }), false)).toEqual({
    request: 'GET http://a.example/x',
    route: 'shop',
    upstreamPath: '/x',
    service: 'https://web.svc:8443',
    plugins: [{ name: 'cors', scope: 'route' }],
    consumerPlugins: 2,
    targets: gateway.targets,
    missingTargets: missing,
    commits,
    passed: passed
      .slice(0, 5)
      .map(({ entry: each, mismatches }) => ({ route: each.route.id, mismatches })),
    unserved: [
      {
        object: 'HTTPRoute default/h',
        field: 'spec.parentRefs',
        message: 'no Gateway',
        fix: 'make one',
      },
    ],
  });
  const least = traceData(trace({ match: undefined }), true);
  expect(least.passed).toHaveLength(7);
  for (const name of ['route', 'service', 'missingTargets', 'unserved'])
    expect(least).not.toHaveProperty(name);
  const bare = traceData(trace({ match: { entry: { route }, upstreamPath: '/' } }), true);
  expect(bare).toMatchObject({ route: 'shop' });
  expect(bare).not.toHaveProperty('service');
});

test.each([
  [{ expression: 'http.path == "/"', hosts: ['a'] }, 'http.path == "/"'],
  [{ expression: '', hosts: ['a', 'b'] }, 'hosts a, b'],
  [{ expression: null, paths: [], methods: ['GET'] }, 'methods GET'],
  [{ snis: ['s'], hosts: null }, 'snis s'],
  [{}, ''],
])('%j asks for %s', (fields, wanted) => {
  const text = conditionsOf({ route: { id: 'i', ...fields } } as never);
  expect(text.replaceAll(/[[\]"]/g, '').replaceAll(' or ', ', ')).toBe(wanted.replaceAll('"', ''));
});

test('names and addresses have defaults', () => {
  expect(nameOf({ route: { id: 'i' } } as never)).toBe('i');
  expect(addressOf({ service: { host: 'h' } } as never)).toBe('http://h:80');
  expect(addressOf({} as never)).toBe('http://:80');
});
