import type { KubeObject } from '@waygate/schema';
import { expect, test } from 'vitest';
import { IncrementalTranslator } from '../incremental/incremental-translator.ts';
import { resolveOptions } from '../options.ts';
import { translate } from '../translate.ts';

const nginx = { tcpServices: 'system/tcp', udpServices: 'system/udp' };
const options = { routerFlavor: 'expressions', nginx } as const;

const object = (kind: string, name: string, more: object): KubeObject =>
  ({ apiVersion: 'v1', kind, metadata: { name, namespace: 'system' }, ...more }) as KubeObject;
const tcp = (data: Record<string, string>) => object('ConfigMap', 'tcp', { data });
const udp = (data: Record<string, string>) => object('ConfigMap', 'udp', { data });
const service = (name: string, protocol = 'TCP') =>
  object('Service', name, { spec: { ports: [{ name: 'main', port: 80, protocol }] } });
const slice = (name: string, address: string, protocol = 'TCP') =>
  ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `${name}-1`,
      namespace: 'system',
      labels: { 'kubernetes.io/service-name': name },
    },
    ports: [{ name: 'main', port: 9_000, protocol }],
    endpoints: [{ addresses: [address] }],
  }) as unknown as KubeObject;

function streamsOf(...objects: KubeObject[]) {
  const { state, problems } = translate(objects, options);
  const services = state.services.filter(({ protocol }) => protocol !== 'http');
  return {
    routes: services.flatMap(({ routes = [] }) => routes.map(({ expression }) => expression)),
    plugins: services.flatMap(({ routes = [] }) =>
      routes.flatMap(({ plugins = [] }) => plugins.map(({ config }) => config)),
    ),
    upstreams: state.upstreams
      .filter(({ name }) => /^nginx\.(tcp|udp)\./.test(name))
      .map(({ name, targets }) => [name, targets?.map(({ target }) => target)]),
    problems: problems.map(({ field, message }) => `${field}: ${message}`),
  };
}

const both = [service('a'), slice('a', '10.0.0.1')];

test('a port leads to the endpoints of its Service, by number or by name', () => {
  const made = streamsOf(tcp({ 7001: 'system/a:80', 7002: 'system/a:main' }), ...both);
  expect(made.routes).toEqual(['net.dst.port == 7001', 'net.dst.port == 7002']);
  expect(made.upstreams).toEqual([
    ['nginx.tcp.7001.svc', ['10.0.0.1:9000']],
    ['nginx.tcp.7002.svc', ['10.0.0.1:9000']],
  ]);
  expect(made.problems).toEqual([]);
});

test('TCP and UDP are told apart, also on one port', () => {
  const made = streamsOf(
    tcp({ 53: 'system/d:80' }),
    udp({ 53: 'system/d:80:PROXY:PROXY' }),
    service('d', 'UDP'),
    slice('d', '10.0.0.2', 'UDP'),
  );
  expect(made.upstreams).toEqual([['nginx.udp.53.svc', ['10.0.0.2:9000']]]);
  expect(made.plugins).toEqual([]);
  expect(made.problems).toEqual(['data[53]: port 53 is closed: system/d:80 has no endpoints']);
});

test.each([
  ['system/a:80:PROXY', { accept: true, send: 'none' }],
  ['system/a:80::PROXY', { accept: false, send: 'v1' }],
  ['system/a:80:proxy:proxy', { accept: true, send: 'v1' }],
  ['system/a:80:other', undefined],
])('PROXY protocol in %s', (value, config) => {
  const made = streamsOf(tcp({ 7001: value }), ...both);
  expect(made.plugins).toEqual(config === undefined ? [] : [config]);
});

test.each([
  ['80', 'system/a:80', 'port 80 is one of the controller’s own'],
  ['10254', 'system/a:80', 'port 10254 is one of the controller’s own'],
  ['abc', 'system/a:80', '"abc" is not a port'],
  ['70000', 'system/a:80', '"70000" is not a port'],
  ['7001', 'a:80', '"a:80" is not namespace/name:port[:PROXY[:PROXY]]'],
  ['7001', 'system/a', '"system/a" is not namespace/name:port[:PROXY[:PROXY]]'],
  ['7001', 'system/a:8 0;', '"system/a:8 0;" is not namespace/name:port[:PROXY[:PROXY]]'],
  ['7001', 'system/none:80', 'port 7001 is closed: system/none:80 has no endpoints'],
])('%s: %s is told, and the others stay', (port, value, message) => {
  const made = streamsOf(tcp({ [port]: value, 7009: 'system/a:80' }), ...both);
  expect(made.routes).toEqual(['net.dst.port == 7009']);
  expect(made.problems).toEqual([`data[${port}]: ${message}`]);
});

test('a gateway without the plugin keeps a port closed rather than forget the PROXY header', () => {
  const { problems, state } = translate([tcp({ 7001: 'system/a:80:PROXY' }), ...both], {
    ...options,
    nginx: { ...nginx, availablePlugins: new Set(['nginx-proxy']) },
  });
  expect(problems.map(({ message }) => message)).toEqual([
    'port 7001 is closed: the gateway has no plugin proxy-protocol',
  ]);
  expect(state.services.filter(({ protocol }) => protocol === 'tcp')).toEqual([]);
});

test('a change of endpoints makes the streams of that Service again, and no others', () => {
  const translator = new IncrementalTranslator(resolveOptions(options));
  const data = Object.fromEntries(
    Array.from({ length: 50 }, (_, index) => [7_000 + index, `system/s${index}:80`]),
  );
  const services = Array.from({ length: 50 }, (_, index) => [
    service(`s${index}`),
    slice(`s${index}`, '10.0.0.1'),
  ]).flat();
  const put = (objects: KubeObject[]) =>
    translator.apply(objects.map((one) => ({ type: 'put' as const, object: one })));
  put([tcp(data), ...services]);
  translator.settle();
  translator.takeChanges();
  put([slice('s7', '10.0.0.9')]);
  expect(translator.settle()).toBe(1);
  expect([...translator.takeChanges().services]).toEqual(['nginx.tcp.7007']);
  // Taken out and brought back: the outcome is that of a translation from nothing.
  put([tcp({ 7007: 'system/s7:80' })]);
  put([tcp(data)]);
  expect(translator.snapshot().state).toEqual(
    translate([tcp(data), ...services, slice('s7', '10.0.0.9')], options).state,
  );
});
