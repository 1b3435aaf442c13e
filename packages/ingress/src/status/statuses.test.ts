import type { KubeObject } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import { upstreamPolicyPatches } from '../controller/policy-users.ts';
import {
  addressPatches,
  gatewayApiPatches,
  licensePatches,
  liveObjects,
  programmedPatches,
  withdrawalPatches,
} from '../controller/status-reports.ts';
import type { KnativeIngress } from '../objects/knative-ingress.ts';
import { ObjectStore } from '../store/object-store.ts';
import { intersects } from '../translate/gateway/route-attachment.ts';
import { publishedAddresses } from './addresses.ts';
import { knativeStatus } from './knative-status.ts';

const now = new Date('2026-01-02T03:04:05.678Z');
const controllerName = 'konghq.com/kic-gateway-controller';
const gatewayApi = 'gateway.networking.k8s.io/v1';

const gatewayClass = {
  apiVersion: gatewayApi,
  kind: 'GatewayClass',
  metadata: { name: 'kong', generation: 1 },
  spec: { controllerName },
};

function gateway(listeners: object[]): KubeObject {
  return {
    apiVersion: gatewayApi,
    kind: 'Gateway',
    metadata: { name: 'gw', namespace: 'one', generation: 2 },
    spec: { gatewayClassName: 'kong', listeners },
  } as KubeObject;
}

function route(namespace: string, spec: object): KubeObject {
  return {
    apiVersion: gatewayApi,
    kind: 'HTTPRoute',
    metadata: { name: 'r', namespace, generation: 3 },
    spec: { parentRefs: [{ name: 'gw', namespace: 'one' }], ...spec },
  } as KubeObject;
}

const http = { name: 'http', protocol: 'HTTP', port: 80 };

function patches(objects: KubeObject[]) {
  const reader = new ObjectStore();
  for (const object of objects) reader.put(object);
  return gatewayApiPatches({
    concernsGateways: true,
    places: undefined,
    isExpressions: false,
    hasOwnPlugins: false,
    reader,
    controllerName,
    objects,
    live: liveObjects(objects),
    problems: [],
    addresses: [{ ip: '10.0.0.1' }],
    now,
  });
}

/** `type=status reason` of each condition. */
function words(conditions: unknown): string[] {
  return (conditions as { type: string; status: string; reason: string }[]).map(
    ({ type, status, reason }) => `${type}=${status} ${reason}`,
  );
}

function routeWords(objects: KubeObject[]): string[] {
  const status = patches(objects).find(({ object }) => object.kind === 'HTTPRoute')?.status as {
    parents: { conditions: unknown }[];
  };
  return words(status.parents[0]?.conditions);
}

describe('the statuses of the Gateway API', () => {
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'one' },
  };

  test('a Gateway shows its listeners, routes and addresses', () => {
    const plain = route('one', { rules: [{ backendRefs: [{ name: 'web', kind: 'Service' }] }] });
    const all = patches([gatewayClass, gateway([http]), plain, service]);
    const status = all.find(({ object }) => object.kind === 'Gateway')?.status as {
      addresses: unknown;
      listeners: { attachedRoutes: number; conditions: unknown }[];
    };
    expect(status.addresses).toEqual([{ type: 'IPAddress', value: '10.0.0.1' }]);
    expect(status.listeners[0]?.attachedRoutes).toBe(1);
    expect(words(status.listeners[0]?.conditions)).toContain('Programmed=True Programmed');
    expect(routeWords([gatewayClass, gateway([http]), plain, service])).toEqual([
      'Accepted=True Accepted',
      'ResolvedRefs=True ResolvedRefs',
      'Programmed=True ConfiguredInGateway',
    ]);
  });

  test.each([
    [
      'a missing backend',
      'one',
      [http],
      { rules: [{ backendRefs: [{ name: 'no', kind: 'Service' }] }] },
      'ResolvedRefs=False BackendNotFound',
    ],
    ['a namespace that is not allowed', 'two', [http], {}, 'Accepted=False NotAllowedByListeners'],
    [
      'hosts that no listener has',
      'one',
      [{ ...http, hostname: 'a.test' }],
      { hostnames: ['b.test'] },
      'Accepted=False NoMatchingListenerHostname',
    ],
    [
      'a section that is not there',
      'one',
      [http],
      { parentRefs: [{ name: 'gw', namespace: 'one', sectionName: 'x' }] },
      'Accepted=False NoMatchingParent',
    ],
  ])('a route says what is wrong: %s', (_, namespace, listeners, spec, expected) => {
    expect(routeWords([gatewayClass, gateway(listeners), route(namespace, spec)])).toContain(
      expected,
    );
  });

  test('a listener without its certificate is not up', () => {
    const https = {
      ...http,
      name: 'https',
      protocol: 'HTTPS',
      tls: { certificateRefs: [{ name: 'none' }] },
    };
    const [, patch] = patches([gatewayClass, gateway([https])]);
    const { listeners } = patch!.status as { listeners: { conditions: unknown }[] };
    expect(words(listeners[0]?.conditions)).toEqual(
      expect.arrayContaining([
        'Programmed=False Invalid',
        'ResolvedRefs=False InvalidCertificateRef',
      ]),
    );
  });

  test('nothing is written when nothing changed', () => {
    const objects = [gatewayClass, gateway([http]), route('one', {}), service];
    const written = patches(objects);
    const after = objects.map((object) => {
      const patch = written.find((one) => one.object === object);
      return patch === undefined
        ? object
        : ({ ...object, status: patch.status } as unknown as KubeObject);
    });
    expect(written).toHaveLength(3);
    expect(patches(after)).toEqual([]);
  });

  test('statuses of other controllers stay', () => {
    const foreign = { parentRef: { name: 'other' }, controllerName: 'x', conditions: [] };
    const shared = { ...route('one', {}), status: { parents: [foreign] } } as KubeObject;
    const patch = patches([gatewayClass, gateway([http]), shared]).find(
      ({ object }) => object.kind === 'HTTPRoute',
    );
    expect((patch!.status.parents as unknown[])[0]).toEqual(foreign);
  });

  test.each([
    ['*.a.test', 'x.a.test', true],
    ['*.a.test', 'a.test', false],
    ['x.a.test', '*.a.test', true],
    ['a.test', 'b.test', false],
  ])('%s and %s meet: %s', (left, right, expected) => {
    expect(intersects(left, right)).toBe(expected);
  });
});

describe('other statuses', () => {
  const ingress = (addresses: object[]) =>
    ({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'i', namespace: 'one' },
      status: { loadBalancer: { ingress: addresses } },
    }) as KubeObject;

  test('an Ingress gets the addresses, unless it has them', () => {
    const addresses = publishedAddresses(['b.test', '10.0.0.1'], undefined);
    expect(addresses).toEqual([{ ip: '10.0.0.1' }, { hostname: 'b.test' }]);
    const published = { tcp: addresses, udp: [{ ip: '10.0.0.9' }] };
    expect(addressPatches([ingress([])], published)).toHaveLength(1);
    expect(addressPatches([ingress(addresses)], published)).toEqual([]);
    expect(withdrawalPatches([ingress([]), ingress([{ ip: '10.9.9.9' }])], published)).toEqual([]);
    expect(withdrawalPatches([ingress(addresses)], published)).toMatchObject([
      { status: { loadBalancer: { ingress: null } } },
    ]);
    const udp = {
      ...ingress([]),
      apiVersion: 'configuration.konghq.com/v1beta1',
      kind: 'UDPIngress',
    };
    expect(addressPatches([udp], published)).toMatchObject([
      { status: { loadBalancer: { ingress: [{ ip: '10.0.0.9' }] } } },
    ]);
  });

  test.each([
    [[http, { ...http, name: 'second' }], 'HostnameConflict'],
    [[http, { ...http, name: 'second', hostname: 'a.test' }], 'NoConflicts'],
    [[http, { ...http, name: 'second', protocol: 'TCP' }], 'ProtocolConflict'],
    [[http, { ...http, name: 'second', protocol: 'UDP' }], 'NoConflicts'],
  ])('listeners that share a port: %j is %s', (listeners, reason) => {
    const [patch] = patches([gatewayClass as KubeObject, gateway(listeners)]).slice(-1);
    const shown = (patch!.status as { listeners: { conditions: { reason: string }[] }[] })
      .listeners;
    for (const { conditions } of shown)
      expect(conditions.map((one) => one.reason)).toContain(reason);
  });

  test('a listener says which routes it cannot take, and a Gateway without a good listener is not accepted', () => {
    const odd = { ...http, allowedRoutes: { kinds: [{ kind: 'TCPRoute' }] } };
    const [patch] = patches([gatewayClass as KubeObject, gateway([odd])]).slice(-1);
    const { listeners, conditions } = patch!.status as {
      listeners: { conditions: unknown; supportedKinds: unknown[] }[];
      conditions: unknown;
    };
    expect(words(listeners[0]?.conditions)).toContain('ResolvedRefs=False InvalidRouteKinds');
    expect(listeners[0]?.supportedKinds).toEqual([]);
    expect(words(conditions)).toEqual([
      'Accepted=False ListenersNotValid',
      'Programmed=False Invalid',
    ]);
  });

  test('Knative is told where the gateway is, once', () => {
    const ingress: KnativeIngress = {
      apiVersion: 'networking.internal.knative.dev/v1alpha1',
      kind: 'Ingress',
      metadata: { name: 'k', namespace: 'one', generation: 4 },
    };
    const patch = knativeStatus(ingress, 'kong/proxy', '', now);
    expect(patch?.status).toMatchObject({
      observedGeneration: 4,
      publicLoadBalancer: { ingress: [{ domainInternal: 'proxy.kong.svc.cluster.local' }] },
    });
    const after = { ...ingress, status: patch!.status } as KnativeIngress;
    const conditions = after.status!.conditions!.map((one) => ({ ...one, observedGeneration: 4 }));
    after.status!.conditions = conditions;
    expect(knativeStatus(after, 'kong/proxy', '', now)).toBeUndefined();
  });

  test('a KongLicense says whether it is the one in use', () => {
    const reader = new ObjectStore();
    const license = (name: string) => ({
      apiVersion: 'configuration.konghq.com/v1alpha1',
      kind: 'KongLicense',
      metadata: { name, uid: name, generation: 1 },
    });
    for (const name of ['new', 'old']) reader.put(license(name));
    expect(licensePatches(reader, [], now)).toEqual([]);
    const patches = licensePatches(reader, [{ id: 'new' }], now);
    const said = patches.map(({ object, status }) => {
      const { controllers } = status as { controllers: { conditions: unknown }[] };
      return [object.metadata.name, words(controllers[0]?.conditions)];
    });
    expect(said).toEqual([
      ['new', ['Programmed=True PickedAsLatest']],
      ['old', ['Programmed=False ReplacedByNewer']],
    ]);
    for (const { object, status } of patches) reader.put({ ...object, status } as KubeObject);
    expect(licensePatches(reader, [{ id: 'new' }], now)).toEqual([]);
  });

  test('a KongUpstreamPolicy names the Services that use it', () => {
    const policy = {
      apiVersion: 'configuration.konghq.com/v1beta1',
      kind: 'KongUpstreamPolicy',
      metadata: { name: 'p', namespace: 'one', generation: 1 },
    };
    const user = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {
        name: 'web',
        namespace: 'one',
        annotations: { 'konghq.com/upstream-policy': 'p' },
      },
    };
    const reader = new ObjectStore();
    for (const object of [policy, user]) reader.put(object);
    const [patch] = upstreamPolicyPatches(reader, controllerName, liveObjects([user]), now);
    const { ancestors } = patch!.status as {
      ancestors: { ancestorRef: object; conditions: unknown }[];
    };
    expect(ancestors[0]?.ancestorRef).toMatchObject({ kind: 'Service', name: 'web' });
    expect(words(ancestors[0]?.conditions)).toEqual([
      'Accepted=True Accepted',
      'Programmed=True Programmed',
    ]);
    reader.put({ ...policy, status: patch?.status } as KubeObject);
    expect(upstreamPolicyPatches(reader, controllerName, liveObjects([user]), now)).toEqual([]);
  });

  test('says when a rule mixes Services with and without it', () => {
    const reader = new ObjectStore();
    const annotations = { 'konghq.com/upstream-policy': 'p' };
    const metadata = (name: string) => ({ name, namespace: 'one' });
    const user = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...metadata('a'), annotations },
    } as KubeObject;
    const facade = {
      apiVersion: 'incubator.ingress-controller.konghq.com/v1alpha1',
      kind: 'KongServiceFacade',
      metadata: { ...metadata('f'), annotations },
    } as KubeObject;
    const policy = {
      apiVersion: 'configuration.konghq.com/v1beta1',
      kind: 'KongUpstreamPolicy',
      metadata: metadata('p'),
    } as KubeObject;
    const mixed = {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata: metadata('r'),
      spec: { rules: [{ backendRefs: [{ name: 'a' }, { name: 'b' }] }] },
    } as KubeObject;
    for (const object of [policy, user, facade, mixed]) reader.put(object);
    const live = liveObjects([user, facade]);
    const [patch] = upstreamPolicyPatches(reader, controllerName, live, now);
    expect(patch?.status).toMatchObject({
      ancestors: [
        {
          ancestorRef: { group: 'core', kind: 'Service', name: 'a' },
          conditions: [
            { type: 'Accepted', status: 'False', reason: 'Conflicted' },
            { type: 'Programmed', status: 'False', reason: 'Pending' },
          ],
        },
        {
          ancestorRef: { kind: 'KongServiceFacade', name: 'f' },
          conditions: [
            { type: 'Accepted', status: 'True' },
            { type: 'Programmed', status: 'True' },
          ],
        },
      ],
    });
  });

  test('addresses come from the Service that publishes the gateway', () => {
    const service = (spec: object, status: object = {}) =>
      publishedAddresses([], { metadata: {}, spec, status } as never);
    expect(
      service({ type: 'LoadBalancer' }, { loadBalancer: { ingress: [{ hostname: 'lb.test' }] } }),
    ).toEqual([{ hostname: 'lb.test' }]);
    expect(service({ type: 'ClusterIP', clusterIP: '10.9.8.7' })).toEqual([{ ip: '10.9.8.7' }]);
    expect(service({ type: 'ClusterIP', clusterIP: 'None' })).toEqual([]);
  });

  test('a Kong resource is programmed, wrong, or waiting', () => {
    const plugin = (name: string) =>
      ({
        apiVersion: 'configuration.konghq.com/v1',
        kind: 'KongPlugin',
        metadata: { name, namespace: 'one', generation: 1 },
      }) as KubeObject;
    const [used, wrong, idle] = [plugin('used'), plugin('wrong'), plugin('idle')];
    const reference = {
      apiVersion: '',
      kind: 'KongPlugin',
      namespace: 'one',
      name: 'wrong',
      uid: '',
    };
    const result = programmedPatches(
      [used, wrong, idle],
      liveObjects([used, wrong]),
      [reference],
      now,
    );
    expect(result.map(({ status }) => words(status.conditions)[0])).toEqual([
      'Programmed=True Programmed',
      'Programmed=False Invalid',
      'Programmed=False Pending',
    ]);
    const settled = { ...used, status: result[0]?.status } as KubeObject;
    expect(programmedPatches([settled], liveObjects([settled]), [], now)).toEqual([]);
  });
});
