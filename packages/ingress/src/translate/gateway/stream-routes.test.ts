import type { KubeObject } from '@waygate/schema';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { translate } from '../translate.ts';

const apiVersion = 'gateway.networking.k8s.io/v1';

function route(kind: string, name: string, created: string, port = 9000): KubeObject {
  return {
    apiVersion: 'gateway.networking.k8s.io/v1alpha2',
    kind,
    metadata: { name, namespace: 'shop', creationTimestamp: created },
    spec: {
      parentRefs: [{ name: 'edge', port }],
      rules: [{ backendRefs: [{ kind: 'Service', name: 'web', port: 80 }] }],
    },
  } as KubeObject;
}

const around = [
  {
    apiVersion,
    kind: 'GatewayClass',
    metadata: { name: 'kong' },
    spec: { controllerName: 'konghq.com/kic-gateway-controller' },
  },
  {
    apiVersion,
    kind: 'Gateway',
    metadata: { name: 'edge', namespace: 'shop' },
    spec: {
      gatewayClassName: 'kong',
      listeners: ['TCP', 'UDP'].flatMap((protocol) =>
        [9000, 9001].map((port) => ({ name: `${protocol}-${port}`, protocol, port })),
      ),
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { ports: [{ port: 80 }] },
  },
] as unknown as KubeObject[];

/** The routes of the gateway, those that the router tries first before others. */
function tried(objects: KubeObject[]) {
  const { state } = translate([...around, ...objects], {
    routerFlavor: 'expressions',
    onlyAttachedRoutes: true,
    gatewayAddress: () => '127.64.0.1',
  });
  return state.services
    .flatMap(({ routes = [] }) => routes)
    .sort((left, right) => (right.priority ?? 0) - (left.priority ?? 0));
}

const second = (at: number) => new Date(Date.UTC(2026, 0, 1) + at * 1_000).toISOString();

describe.each(['TCPRoute', 'UDPRoute'])('%s', (kind) => {
  const prefix = kind.toLowerCase();

  test('of several for one port the oldest is served, in whatever order they are seen', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(200_000_000), { minLength: 2, maxLength: 6 }), (ages) => {
        const routes = ages.map((at) => route(kind, `r${at}`, second(at)));
        const [first] = tried(routes);
        expect(first?.name).toBe(`${prefix}.shop.r${Math.min(...ages)}.0.0`);
      }),
      { numRuns: 25 },
    );
  });

  test('the next one is served when the oldest is gone, or moved to another port', () => {
    const old = route(kind, 'old', second(1));
    const young = route(kind, 'young', second(2));
    expect(tried([young, old])[0]?.name).toContain('.old.');
    expect(tried([young])[0]?.name).toContain('.young.');
    const moved = tried([young, route(kind, 'old', second(1), 9001)]);
    const at = (port: number) =>
      moved.filter(({ expression }) => expression?.includes(`net.dst.port == ${port}`));
    expect(at(9000).map(({ name }) => name)).toEqual([`${prefix}.shop.young.0.0`]);
    expect(at(9001).map(({ name }) => name)).toEqual([`${prefix}.shop.old.0.0`]);
  });

  test('without a time of creation it comes after all that have one', () => {
    const [first] = tried([route(kind, 'a', ''), route(kind, 'b', second(9))]);
    expect(first?.name).toContain('.b.');
  });
});
