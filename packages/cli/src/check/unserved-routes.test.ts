import type { KubeObject } from '@waygate/schema';
import { expect, test } from 'vitest';
import { unservedLine, unservedRoutes } from './unserved-routes.ts';

const ingress = (spec: object, annotations: Record<string, string> = {}): KubeObject =>
  ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'web', namespace: 'shop', annotations },
    spec,
  }) as KubeObject;
const route = (parentRefs: readonly object[]): KubeObject =>
  ({
    kind: 'HTTPRoute',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { parentRefs },
  }) as KubeObject;
const gateway = { kind: 'Gateway', metadata: { name: 'public', namespace: 'infra' } };
const defaultClass = {
  kind: 'IngressClass',
  metadata: {
    name: 'kong',
    annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' },
  },
};
const said = (objects: readonly KubeObject[], hasAllGateways = true): string[] =>
  unservedRoutes(objects, { ingressClass: 'kong', hasAllGateways }).map(unservedLine);

test.each([
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
    [route([{ name: 'public', namespace: 'infra' }, { name: 'other' }]), gateway],
    'HTTPRoute shop/web (spec.parentRefs[1]): names the Gateway shop/other, which is not there; name one that is there: infra/public',
  ],
  [
    [route([])],
    'HTTPRoute shop/web (spec.parentRefs): is missing: a route that is attached to no Gateway is served by nobody; add a Gateway of the class kong to the manifests',
  ],
])('%#: %j', (objects, line) => {
  expect(said(objects)).toEqual([line]);
});

test('what is served is not mentioned', () => {
  expect(
    said([
      ingress({ ingressClassName: 'kong' }),
      ingress({}, { 'kubernetes.io/ingress.class': 'kong' }),
      route([
        { name: 'public', namespace: 'infra' },
        { kind: 'Service', name: 'x' },
      ]),
      gateway,
    ]),
  ).toEqual([]);
  expect(said([ingress({}), defaultClass])).toEqual([]);
  // Gateways may be in the cluster, and not among the manifests.
  expect(said([route([{ name: 'public' }])], false)).toEqual([]);
});

test('where Ingresses of ingress-nginx are served, only those of others are told', () => {
  const ingressClass = {
    kind: 'IngressClass',
    metadata: { name: 'edge' },
    spec: { controller: 'k8s.io/ingress-nginx' },
  } as unknown as KubeObject;
  const told = (one: KubeObject, nginx: { watchesWithoutClass?: boolean }) =>
    unservedRoutes([ingressClass, one], { ingressClass: 'kong', hasAllGateways: true, nginx })
      .length;
  expect(told(ingress({ ingressClassName: 'edge' }), {})).toBe(0);
  expect(told(ingress({}, { 'kubernetes.io/ingress.class': 'nginx' }), {})).toBe(0);
  expect(told(ingress({}), {})).toBe(1);
  expect(told(ingress({}), { watchesWithoutClass: true })).toBe(0);
  expect(told(ingress({ ingressClassName: 'traefik' }), { watchesWithoutClass: true })).toBe(1);
});
