import { beforeEach, describe, expect, test } from 'vitest';
import type { Rights } from '../view/guarded.ts';
import { seenObject } from '../view/seen-object.ts';
import { View } from '../view/view.ts';
import { slimObject } from './slim-object.ts';

let view: View;

beforeEach(() => {
  view = new View({ objectOf: () => undefined, now: () => 0 });
});

describe('Ingresses of ingress-nginx', () => {
  const put = (kind: string, name: string, spec: object, annotations: object = {}) => {
    const metadata = { name, ...(kind === 'Ingress' && { namespace: 'shop' }), annotations };
    const seen = seenObject(
      slimObject({ apiVersion: 'networking.k8s.io/v1', kind, metadata, spec } as never),
    );
    view.changeObject(seen.key, seen);
  };
  const all: Rights = { id: 'all', allows: () => true };

  test.each([
    ['the name of its class', () => put('Ingress', 'a', { ingressClassName: 'nginx' }), true],
    [
      'the annotation',
      () => put('Ingress', 'a', {}, { 'kubernetes.io/ingress.class': 'nginx' }),
      true,
    ],
    [
      'the controller of its class',
      () => {
        put('IngressClass', 'edge', { controller: 'k8s.io/ingress-nginx' });
        put('Ingress', 'a', { ingressClassName: 'edge' });
      },
      true,
    ],
    [
      'a class of that name that another serves',
      () => {
        put('IngressClass', 'nginx', { controller: 'waygate.dev/ingress' });
        put('Ingress', 'a', { ingressClassName: 'nginx' });
      },
      false,
    ],
    ['another class', () => put('Ingress', 'a', { ingressClassName: 'kong' }), false],
    ['no class', () => put('Ingress', 'a', {}), false],
  ] as const)('are known by %s', (_, prepare, isFound) => {
    prepare();
    expect(view.hasNginxIngresses(all)).toBe(isFound);
    expect(view.hasNginxIngresses({ id: 'none', allows: () => false })).toBe(false);
  });
});
