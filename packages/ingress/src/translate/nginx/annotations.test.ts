import type { KubeObject } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import { translate } from '../translate.ts';
import { annotationTable } from './annotation-table.ts';

const hostile = [
  'a\r\nX-Evil: 1',
  '"; return 200;',
  "'\u0000",
  '$1}{',
  '(((((((((((((((((((((((a+)+)+)+)+)+)+)+)+)+',
  '9'.repeat(400),
  '../../etc/passwd',
  'javascript:alert(1)',
];

function objects(annotations: Readonly<Record<string, string>>): KubeObject[] {
  const list = [
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: { name: 'nginx' },
      spec: { controller: 'k8s.io/ingress-nginx' },
    },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'system', name: 'nginx' },
      data: { 'allow-snippet-annotations': 'true', 'annotations-risk-level': 'Critical' },
    },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'one', namespace: 'shop', uid: 'one', annotations },
      spec: {
        ingressClassName: 'nginx',
        rules: [
          {
            host: 'a.test',
            http: {
              paths: [
                {
                  path: '/x',
                  pathType: 'Prefix',
                  backend: { service: { name: 'a', port: { number: 80 } } },
                },
              ],
            },
          },
        ],
      },
    },
  ];
  return list as unknown as KubeObject[];
}

/** Every text in an entity. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

describe('annotations of ingress-nginx', () => {
  test.each(annotationTable.map(({ name }) => name))('hostile values of %s', (name) => {
    for (const value of hostile) {
      const annotations = {
        [`nginx.ingress.kubernetes.io/${name}`]: value,
        'nginx.ingress.kubernetes.io/auth-type': 'basic',
        'nginx.ingress.kubernetes.io/enable-cors': 'true',
        'nginx.ingress.kubernetes.io/affinity': 'cookie',
      };
      const options = {
        routerFlavor: 'expressions',
        nginx: { configMap: 'system/nginx' },
      } as const;
      const { state } = translate(objects(annotations), options);
      const ofIngress = state.services.filter(({ tags }) => tags?.includes('k8s-name:one'));
      const texts = textsIn(ofIngress).filter((text) => !text.startsWith('<html>'));
      expect(texts.filter((text) => /[\r\n]/.test(text) || text.includes('\0'))).toEqual([]);
    }
  });

  test.each(['auth-request-redirect', 'auth-cache-duration', 'auth-always-set-cookie'])(
    '%s that is not valid closes the paths',
    (name) => {
      const annotations = {
        'nginx.ingress.kubernetes.io/auth-url': 'http://auth.test/ok',
        [`nginx.ingress.kubernetes.io/${name}`]: '"bad"',
      };
      const options = {
        routerFlavor: 'expressions',
        nginx: { configMap: 'system/nginx' },
      } as const;
      const { state, problems } = translate(objects(annotations), options);
      const routes = state.services
        .filter(({ tags }) => tags?.includes('k8s-name:one'))
        .flatMap(({ routes: list = [] }) => list);
      expect(routes.length).toBeGreaterThan(0);
      for (const { plugins = [] } of routes)
        expect(plugins.find((one) => one.name === 'nginx-return')?.config).toMatchObject({
          status: 503,
        });
      expect(problems.map(({ message }) => message).join()).toContain(name);
    },
  );
});
