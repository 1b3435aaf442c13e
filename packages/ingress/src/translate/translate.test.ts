import type { KubeObject } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import { toDeclarativeConfig } from './declarative-config.ts';
import { translate } from './translate.ts';

const meta = (name: string, more: object = {}) => ({ name, namespace: 'default', ...more });

const ingress = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: meta('shop', { annotations: { 'konghq.com/strip-path': 'true' } }),
  spec: {
    ingressClassName: 'kong',
    rules: [
      {
        host: 'shop.example.com',
        http: {
          paths: [
            {
              path: '/',
              pathType: 'Prefix',
              backend: { service: { name: 'web', port: { number: 80 } } },
            },
          ],
        },
      },
    ],
  },
} as KubeObject;
const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: meta('web'),
  spec: { ports: [{ port: 80, targetPort: 8080 }] },
} as KubeObject;
const slice = {
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: meta('web-1', { labels: { 'kubernetes.io/service-name': 'web' } }),
  ports: [{ name: '', port: 8080, protocol: 'TCP' }],
  endpoints: [
    { addresses: ['10.0.0.1'] },
    { addresses: ['10.0.0.2'], conditions: { ready: false } },
  ],
} as KubeObject;

describe('translate', () => {
  test('leads a host and path of an Ingress to the ready endpoints of its Service', () => {
    const { state, problems } = translate([ingress, service, slice]);
    expect(problems).toEqual([]);
    expect(state.services.map(({ name }) => name)).toEqual(['default.web.80']);
    expect(state.services[0]?.routes?.[0]).toMatchObject({
      name: 'default.shop.web.shop.example.com.80',
      hosts: ['shop.example.com'],
      paths: ['/'],
      strip_path: true,
    });
    expect(state.upstreams[0]?.targets).toEqual([{ target: '10.0.0.1:8080' }]);
  });

  test('does not depend on the order of objects', () => {
    const forward = translate([ingress, service, slice]);
    const backward = translate([slice, service, ingress]);
    expect(backward).toEqual(forward);
  });

  test('names the object when its Service is missing, and goes on', () => {
    const { state, problems } = translate([ingress]);
    expect(state.services).toHaveLength(1);
    expect(problems.map(({ object }) => object.kind)).toEqual(['Ingress', 'Ingress']);
    expect(problems[0]?.message).toContain('Service default/web not found');
  });

  test('leaves Ingresses of other classes alone', () => {
    const { state } = translate([ingress, service], { ingressClass: 'other' });
    expect(state.services).toEqual([]);
  });

  test('an empty cluster gives a gateway without a database something to hold', () => {
    const { state } = translate([]);
    expect(toDeclarativeConfig(state, { isDbless: true })).toEqual({
      _format_version: '3.0',
      upstreams: [{ name: 'kong' }],
    });
    expect(toDeclarativeConfig(state, { isDbless: false })).toEqual({ _format_version: '3.0' });
  });

  test('keys that are names of built-in properties are data', () => {
    const hostile = {
      ...ingress,
      metadata: meta('shop', {
        annotations: JSON.parse('{"__proto__": "x", "konghq.com/headers.__proto__": "a"}'),
      }),
    } as KubeObject;
    const { state } = translate([hostile, service]);
    expect(Object.keys(state.services[0]?.routes?.[0]?.headers ?? {})).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>).a).toBeUndefined();
  });
});
