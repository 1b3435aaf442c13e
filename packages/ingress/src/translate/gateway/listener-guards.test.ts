import { describe, expect, test } from 'vitest';
import { translate } from '../translate.ts';

const listener = (name: string, port: number, hostname?: string, protocol = 'HTTP') => ({
  name,
  port,
  protocol,
  ...(hostname === undefined ? {} : { hostname }),
  ...(protocol === 'TLS' ? { tls: { mode: 'Passthrough' } } : {}),
});

const objects = (
  listeners: readonly object[],
  hostnames: readonly string[],
  parent: object = {},
  kind = 'HTTPRoute',
) => [
  {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'GatewayClass',
    metadata: { name: 'kong' },
    spec: { controllerName: 'konghq.com/kic-gateway-controller' },
  },
  {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: { name: 'edge', namespace: 'shop' },
    spec: { gatewayClassName: 'kong', listeners },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { ports: [{ port: 80 }] },
  },
  {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind,
    metadata: { name: 'web', namespace: 'shop' },
    spec: {
      parentRefs: [{ name: 'edge', ...parent }],
      hostnames,
      rules: [{ backendRefs: [{ kind: 'Service', name: 'web', port: 80 }] }],
    },
  },
];

function expressions(of: ReturnType<typeof objects>, address?: string): (string | undefined)[] {
  const { state } = translate(of, {
    routerFlavor: 'expressions',
    onlyAttachedRoutes: true,
    ...(address === undefined ? {} : { gatewayAddress: () => address }),
  });
  return state.services.flatMap(({ routes = [] }) => routes.map(({ expression }) => expression));
}

describe('routes of Gateways with addresses of their own', () => {
  test.each([
    [
      'the only port of an address is not named',
      [listener('a', 80)],
      ['x.example'],
      {},
      ['(net.dst.ip == 127.64.0.1) && (http.host == "x.example")'],
    ],
    [
      'one of two ports is',
      [listener('a', 80), listener('b', 8080)],
      [],
      { sectionName: 'b' },
      ['(net.dst.ip == 127.64.0.1) && (net.dst.port == 8080)'],
    ],
    [
      'a more precise listener keeps its hosts',
      [listener('any', 80), listener('wild', 80, '*.example'), listener('one', 80, 'a.b.example')],
      [],
      { sectionName: 'wild' },
      [
        '(net.dst.ip == 127.64.0.1) && (http.host =^ ".example") && (!(http.host == "a.b.example"))',
      ],
    ],
    [
      'and those that the route does not have are not named',
      [listener('any', 80), listener('wild', 80, '*.example')],
      ['a.other'],
      { sectionName: 'any' },
      ['(net.dst.ip == 127.64.0.1) && (http.host == "a.other")'],
    ],
    [
      'of two wildcards the narrower counts',
      [listener('wild', 80, '*.com')],
      ['*.example.com'],
      {},
      ['(net.dst.ip == 127.64.0.1) && (http.host =^ ".example.com")'],
    ],
  ])('%s', (_, listeners, hostnames, parent, wanted) => {
    expect(expressions(objects(listeners, hostnames, parent), '127.64.0.1')).toEqual(wanted);
  });

  test('TLSRoutes are told by their server names', () => {
    const of = objects(
      [listener('tls', 443, '*.example', 'TLS')],
      ['a.example', '*.b.example'],
      {},
      'TLSRoute',
    );
    expect(expressions(of, '127.64.0.1')).toEqual([
      '(net.dst.ip == 127.64.0.1) && (tls.sni == "a.example")',
      '(net.dst.ip == 127.64.0.1) && (tls.sni =^ ".b.example")',
    ]);
  });

  test.each(['HTTPRoute', 'GRPCRoute'])(
    '%ss come before each other by the hosts that they name, not by what a listener leaves of them',
    (kind) => {
      const hosts = [['abc.example'], ['*.example'], ['*.c.example', '*.b.example'], []];
      const around = objects([listener('a', 80, 'abc.example')], []).slice(0, 3);
      const routes = hosts.flatMap((hostnames, index) => {
        const [route] = objects([], hostnames, {}, kind).slice(3);
        return [{ ...route, metadata: { name: `r${index}`, namespace: 'shop' } }];
      });
      const { state } = translate([...around, ...routes] as typeof around, {
        routerFlavor: 'expressions',
        onlyAttachedRoutes: true,
        gatewayAddress: () => '127.64.0.1',
      });
      const found = state.services.flatMap((service) => service.routes ?? []);
      const order = found.toSorted((one, two) => (two.priority ?? 0) - (one.priority ?? 0));
      expect(order.map(({ name }) => /r\d/.exec(name ?? '')?.[0])).toEqual(['r0', 'r1', 'r3']);
      for (const { expression } of found) expect(expression).toContain('abc.example');
    },
  );

  test('nothing is said where Gateways share their addresses', () => {
    expect(expressions(objects([listener('a', 80)], ['x.example']))).toEqual([
      'http.host == "x.example"',
    ]);
  });
});
