import { describe, expect, test } from 'vitest';
import { translate } from '../translate.ts';

const apiVersion = 'gateway.networking.k8s.io/v1';
const inShop = (name: string) => ({ name, namespace: 'shop' });
const listener = (name: string, hostname: string, port = 443) => ({
  name,
  port,
  protocol: 'HTTPS',
  ...(hostname === '' ? {} : { hostname }),
});
const gateway = (listeners: readonly object[] = [{ name: 'a', port: 80, protocol: 'HTTP' }]) => [
  {
    apiVersion,
    kind: 'GatewayClass',
    metadata: { name: 'kong' },
    spec: { controllerName: 'konghq.com/kic-gateway-controller' },
  },
  {
    apiVersion,
    kind: 'Gateway',
    metadata: inShop('edge'),
    spec: { gatewayClassName: 'kong', listeners },
  },
];
const backend = (name: string, more: object = {}) => ({ kind: 'Service', name, port: 80, ...more });
const header = (name: string, value: string) => ({
  type: 'RequestHeaderModifier',
  requestHeaderModifier: { set: [{ name, value }] },
});

/** What one rule comes to, with two Services that exist. */
function translated(rule: object, httpRoutePlugins: boolean) {
  const services = ['one', 'two'].map((name) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: inShop(name),
    spec: { ports: [{ port: 80 }] },
  }));
  const route = {
    apiVersion,
    kind: 'HTTPRoute',
    metadata: inShop('web'),
    spec: { parentRefs: [{ name: 'edge' }], rules: [rule] },
  };
  const { state, problems } = translate([...gateway(), ...services, route], {
    features: { httpRoutePlugins },
  });
  const routes = state.services.flatMap((service) => service.routes ?? []);
  return {
    plugins: routes.flatMap(({ plugins = [] }) =>
      plugins.map(({ name, config }) => ({ name, config })),
    ),
    upstreams: state.upstreams.map(({ name }) => name),
    problems: problems.map(({ message }) => message),
  };
}

describe('what a rule says beside its filters', () => {
  const retry = { codes: [500, 503], attempts: 3, backoff: '100ms' };

  test('retries by status are a plugin of the route, with the time for all tries', () => {
    const rule = { backendRefs: [backend('one')], retry, timeouts: { request: '2s' } };
    expect(translated(rule, true).plugins).toEqual([
      {
        name: 'http-route-retry',
        config: { codes: [500, 503], attempts: 3, backoff_ms: 100, total_ms: 2_000 },
      },
    ]);
  });

  test('several backends with filters get an upstream each, and a share each', () => {
    const rule = {
      backendRefs: [
        backend('one', { weight: 3, filters: [header('X-A', '1')] }),
        backend('two'),
        backend('gone'),
      ],
    };
    const { plugins, upstreams, problems } = translated(rule, true);
    const none = { set: [], add: [], remove: [] };
    const place = (name: string) => ({
      host: `httproute.shop.web.backend.shop.${name}.80`,
      port: 80,
    });
    expect(plugins).toEqual([
      {
        name: 'http-route-backends',
        config: {
          backends: [
            {
              ...place('one'),
              weight: 3,
              request: { ...none, set: [{ name: 'X-A', value: '1' }] },
              response: none,
            },
            { ...place('two'), weight: 1, request: none, response: none },
            { ...place('gone'), weight: 1, request: none, response: none, status: 500 },
          ],
        },
      },
    ]);
    expect(upstreams).toEqual(
      expect.arrayContaining([place('one').host, place('two').host, 'httproute.shop.web.0']),
    );
    expect(problems).toEqual([]);
  });

  test('a rewrite of one of several backends is its own, with the prefixes that it is about', () => {
    const urlRewrite = {
      hostname: 'own.test',
      path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/new' },
    };
    const rule = {
      matches: [{ path: { type: 'PathPrefix', value: '/old' } }],
      backendRefs: [
        backend('one', { filters: [{ type: 'URLRewrite', urlRewrite }] }),
        backend('two'),
      ],
    };
    const { plugins, problems } = translated(rule, true);
    expect(problems).toEqual([]);
    expect(plugins).toMatchObject([
      {
        name: 'http-route-backends',
        config: {
          backends: [{ rewrite: { host: 'own.test', prefix: '/new' } }, { weight: 1 }],
          prefixes: ['/old'],
        },
      },
    ]);
    expect(JSON.stringify(plugins).match(/rewrite/g)).toHaveLength(1);
  });

  test.each([
    ['retries by status', { backendRefs: [backend('one')], retry }, false, 'retries by status'],
    [
      'filters of a backend',
      { backendRefs: [backend('one', { filters: [header('X', '1')] })] },
      false,
      'filters of a single backendRef',
    ],
    [
      'a redirect of one of several backends',
      { backendRefs: [backend('one', { filters: [{ type: 'RequestRedirect' }] }), backend('two')] },
      true,
      'filters of a single backendRef',
    ],
  ])('%s are refused where they cannot be done', (_, rule, hasPlugins, words) => {
    const { plugins, upstreams, problems } = translated(rule, hasPlugins);
    expect([plugins, upstreams]).toEqual([[], []]);
    expect(problems).toEqual([expect.stringContaining(words)]);
  });

  test('retries of connections alone are the gateway’s own business', () => {
    const rule = { backendRefs: [backend('one')], retry: { attempts: 2 } };
    expect(translated(rule, false)).toMatchObject({ plugins: [], problems: [] });
  });
});

describe('HTTPS listeners that share a port', () => {
  const plugins = (listeners: readonly object[], httpRoutePlugins = true) =>
    translate(gateway(listeners), {
      routerFlavor: 'expressions',
      features: { httpRoutePlugins },
      gatewayAddress: () => '127.64.0.1',
    }).state.plugins.map(({ name, config }) => ({ name, config }));

  test('are told to the gateway by their host names, and others are not', () => {
    const others = [listener('d', 'x', 8443), { name: 'e', port: 80, protocol: 'HTTP' }];
    expect(
      plugins([listener('a', ''), listener('b', '*.b'), listener('c', 'c.b'), ...others]),
    ).toEqual([
      {
        name: 'http-route-listeners',
        config: { places: [{ address: '127.64.0.1', port: 443, hostnames: ['', '*.b', 'c.b'] }] },
      },
    ]);
    expect(plugins(others)).toEqual([]);
    expect(plugins([listener('a', ''), listener('b', '*.b')], false)).toEqual([]);
  });
});
