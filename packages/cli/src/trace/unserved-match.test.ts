import { type UnservedRoute, unservedRoutes } from '@waygate/ingress';
import type { KubeObject } from '@waygate/schema';
import { expect, test } from 'vitest';
import { tracedRequest } from './traced-request.ts';
import { matchingRoutes } from './unserved-match.ts';

const backend = { service: { name: 'web', port: { number: 80 } } };
const ingress = (name: string, path: string, ingressClassName?: string): KubeObject =>
  ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name, namespace: 'shop' },
    spec: {
      ...(ingressClassName === undefined ? {} : { ingressClassName }),
      rules: [{ http: { paths: [{ path, pathType: 'Prefix', backend }] } }],
    },
  }) as KubeObject;
const route = (name: string, hostname: string): KubeObject =>
  ({
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name, namespace: 'shop' },
    spec: {
      hostnames: [hostname],
      parentRefs: [{ name: 'missing' }],
      rules: [{ backendRefs: [{ group: '', kind: 'Service', name: 'web', port: 80 }] }],
    },
  }) as KubeObject;

const unserved: readonly UnservedRoute[] = unservedRoutes(
  [
    ingress('without', '/a'),
    ingress('theirs', '/a/b', 'traefik'),
    ingress('other', '/c', 'traefik'),
    route('route', 'a.example'),
  ],
  { ingressClass: 'kong', isWhole: true },
);

test.each([
  ['http://x.example/a', ['without']],
  ['http://x.example/a/b/c', ['without', 'theirs']],
  ['http://x.example/d', []],
  ['http://a.example/d', ['route']],
  ['http://a.example/c', ['other', 'route']],
])('%s would go to %j', (url, names) => {
  for (const flavor of ['traditional_compatible', 'expressions'] as const) {
    const found = matchingRoutes(unserved, tracedRequest(url, {}), {
      ingressClass: 'kong',
      flavor,
    });
    expect(found.map(({ object }) => object.metadata.name)).toEqual(names);
  }
});
