import type { KubeObject } from '@waygate/schema';
import { expect, test } from 'vitest';
import { type UnservedOptions, unservedLine, unservedRoutes } from './unserved-routes.ts';

const ingress = (spec: object, annotations: Record<string, string> = {}): KubeObject =>
  ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'web', namespace: 'shop', annotations },
    spec,
  }) as KubeObject;
const api = 'gateway.networking.k8s.io/v1';
const route = (parentRefs: readonly object[], spec: object = {}): KubeObject =>
  ({
    apiVersion: api,
    kind: 'HTTPRoute',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { parentRefs, ...spec },
  }) as KubeObject;
const gatewayClass = (name: string, controllerName: string): KubeObject =>
  ({
    apiVersion: api,
    kind: 'GatewayClass',
    metadata: { name },
    spec: { controllerName },
  }) as KubeObject;
const kong = gatewayClass('kong', 'konghq.com/kic-gateway-controller');
const gatewayOf = (gatewayClassName: string, listener: object = {}): KubeObject =>
  ({
    apiVersion: api,
    kind: 'Gateway',
    metadata: { name: 'public', namespace: 'infra' },
    spec: {
      gatewayClassName,
      listeners: [
        {
          name: 'http',
          port: 80,
          protocol: 'HTTP',
          allowedRoutes: { namespaces: { from: 'All' } },
          ...listener,
        },
      ],
    },
  }) as KubeObject;
const gateway = gatewayOf('kong');
const toPublic = { name: 'public', namespace: 'infra' };
const listenerSet = (listener: object = {}, parent: object = toPublic): KubeObject =>
  ({
    apiVersion: api,
    kind: 'ListenerSet',
    metadata: { name: 'mine', namespace: 'shop' },
    spec: {
      parentRef: parent,
      listeners: [{ name: 'own', port: 81, protocol: 'HTTP', ...listener }],
    },
  }) as KubeObject;
const toSet = { kind: 'ListenerSet', name: 'mine' };
const openTo = (from: string, gatewayClassName = 'kong'): KubeObject => {
  const closed = gatewayOf(gatewayClassName) as KubeObject & { spec: object };
  return {
    ...closed,
    spec: { ...closed.spec, allowedListeners: { namespaces: { from } } },
  } as KubeObject;
};
const ingressClass = (name: string, controller: string, isDefault = false): KubeObject =>
  ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: {
      name,
      annotations: { 'ingressclass.kubernetes.io/is-default-class': `${isDefault}` },
    },
    spec: { controller },
  }) as KubeObject;
const said = (objects: readonly KubeObject[], options: Partial<UnservedOptions> = {}): string[] =>
  unservedRoutes(objects, { ingressClass: 'kong', isWhole: true, ...options }).map(unservedLine);

test.each<[readonly KubeObject[], string]>([
  [
    [ingress({})],
    'Ingress shop/web (spec.ingressClassName): is missing: an Ingress without a class is served by nobody; set spec.ingressClassName to kong',
  ],
  [
    [ingress({ ingressClassName: 'nginx' })],
    'Ingress shop/web (spec.ingressClassName): is nginx: this gateway serves the class kong; serve it with --ingress-nginx, or set spec.ingressClassName to kong',
  ],
  [
    [ingress({}, { 'kubernetes.io/ingress.class': 'traefik' })],
    'Ingress shop/web (metadata.annotations[kubernetes.io/ingress.class]): is traefik: this gateway serves the class kong; set spec.ingressClassName to kong',
  ],
  [
    [route([{ name: 'public' }])],
    'HTTPRoute shop/web (spec.parentRefs[0]): names the Gateway shop/public, which is not there; add a Gateway of the class kong to the manifests',
  ],
  [
    [route([toPublic, { name: 'other' }]), kong, gateway],
    'HTTPRoute shop/web (spec.parentRefs[1]): names the Gateway shop/other, which is not there; name one that is there: infra/public',
  ],
  [
    [route([])],
    'HTTPRoute shop/web (spec.parentRefs): is missing: a route that is attached to no Gateway is served by nobody; add a Gateway of the class kong to the manifests',
  ],
  [
    [route([toPublic]), gatewayOf('edge')],
    'HTTPRoute shop/web (spec.parentRefs[0]): names the Gateway infra/public, whose class edge is not there; set its spec.gatewayClassName to kong',
  ],
  [
    [route([toPublic]), gatewayOf('edge'), gatewayClass('edge', 'example.com/edge')],
    "HTTPRoute shop/web (spec.parentRefs[0]): names the Gateway infra/public, whose class edge is another's; set its spec.gatewayClassName to kong",
  ],
  [
    [route([{ ...toPublic, sectionName: 'https' }]), kong, gateway],
    'HTTPRoute shop/web (spec.parentRefs[0]): no listener has this name or port; name one of the listeners of Gateway infra/public: http (port 80)',
  ],
  [
    [route([toPublic]), kong, gatewayOf('kong', { allowedRoutes: null })],
    'HTTPRoute shop/web (spec.parentRefs[0]): no listener allows this kind of route from here; let allowedRoutes of a listener of Gateway infra/public take HTTPRoute from the namespace shop',
  ],
  [
    [
      route([toPublic], { hostnames: ['b.example'] }),
      kong,
      gatewayOf('kong', { hostname: 'a.example' }),
    ],
    'HTTPRoute shop/web (spec.parentRefs[0]): no host of the route is one of a listener; Gateway infra/public takes a.example: change spec.hostnames or its listeners',
  ],
  [
    [route([toSet]), kong, gateway],
    'HTTPRoute shop/web (spec.parentRefs[0]): names the ListenerSet shop/mine, which is not there; name one that is there: infra/public',
  ],
  [
    [route([toSet]), kong, listenerSet({}, { name: 'gone' })],
    'HTTPRoute shop/web (spec.parentRefs[0]): names the ListenerSet shop/mine, whose Gateway is not there; add a Gateway of the class kong to the manifests',
  ],
  [
    [route([toSet]), kong, listenerSet(), openTo('Same')],
    'HTTPRoute shop/web (spec.parentRefs[0]): names the ListenerSet shop/mine, which the Gateway infra/public does not allow; let spec.allowedListeners of the Gateway take ListenerSets from the namespace shop',
  ],
  [
    [route([toSet]), listenerSet(), openTo('All', 'edge')],
    'HTTPRoute shop/web (spec.parentRefs[0]): is attached by a ListenerSet to the Gateway infra/public, whose class edge is not there; set its spec.gatewayClassName to kong',
  ],
  [
    [route([{ ...toSet, sectionName: 'http' }]), kong, listenerSet(), openTo('All')],
    'HTTPRoute shop/web (spec.parentRefs[0]): no listener has this name or port; name one of the listeners of ListenerSet shop/mine: own (port 81)',
  ],
])('%#: %j', (objects, line) => {
  expect(said(objects)).toEqual([line]);
});

test('of manifests that are not all, the same is said in the same words, and what may be in the cluster', () => {
  expect(said([route([{ name: 'public' }])], { isWhole: false })).toEqual([
    'HTTPRoute shop/web (spec.parentRefs[0]): names the Gateway shop/public, which is not there; have it in the cluster, or bring it along',
  ]);
  // The class is the cluster's.
  expect(said([route([toPublic]), gateway], { isWhole: false })).toEqual([]);
  const refused = [
    route([toPublic], { hostnames: ['b.example'] }),
    gatewayOf('kong', { hostname: 'a.example' }),
  ];
  expect(said(refused, { isWhole: false })).toEqual(said([...refused, kong]));
});

test('beside other controllers, what is theirs is no matter', () => {
  const hasOthers = { hasOthers: true };
  const theirs = ingress({ ingressClassName: 'traefik' });
  expect(said([theirs], hasOthers)).toHaveLength(1);
  expect(said([theirs, ingressClass('traefik', 'traefik.io/controller')], hasOthers)).toEqual([]);
  expect(said([theirs, ingressClass('traefik', 'traefik.io/controller')])).toHaveLength(1);
  const traefik = ingressClass('traefik', 'traefik.io/controller', true);
  expect(said([ingress({}), traefik], hasOthers)).toEqual([]);
  expect(said([ingress({}), traefik])).toHaveLength(1);
  const edge = [route([toPublic]), gatewayOf('edge'), gatewayClass('edge', 'example.com/edge')];
  expect(said(edge, hasOthers)).toEqual([]);
});

test('what is served is not mentioned', () => {
  expect(
    said([
      ingress({ ingressClassName: 'kong' }),
      ingress({}, { 'kubernetes.io/ingress.class': 'kong' }),
      route([toPublic, { kind: 'Service', name: 'x', group: '' }]),
      kong,
      gateway,
    ]),
  ).toEqual([]);
  expect(
    said([ingress({}), ingressClass('kong', 'ingress-controllers.konghq.com/kong', true)]),
  ).toEqual([]);
});

test('where Ingresses of ingress-nginx are served, only those of others are told', () => {
  const told = (one: KubeObject, nginx: { watchesWithoutClass?: boolean }) =>
    said([ingressClass('edge', 'k8s.io/ingress-nginx'), one], { nginx }).length;
  expect(told(ingress({ ingressClassName: 'edge' }), {})).toBe(0);
  expect(told(ingress({}, { 'kubernetes.io/ingress.class': 'nginx' }), {})).toBe(0);
  expect(told(ingress({}), {})).toBe(1);
  expect(told(ingress({}), { watchesWithoutClass: true })).toBe(0);
  expect(told(ingress({ ingressClassName: 'traefik' }), { watchesWithoutClass: true })).toBe(1);
});
