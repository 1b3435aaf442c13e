import type { KubeObject } from '@waygate/schema';
import type { Ingress } from '../objects/ingress.ts';
import { ObjectStore } from '../store/object-store.ts';
import { isNginxIngress } from '../translate/nginx/class-of.ts';
import { type NginxOptions, resolveNginxOptions } from '../translate/nginx/options.ts';

/** A request that changes nothing, to be sent to ingress-nginx and to us. */
export interface SampleRequest {
  readonly host: string;
  readonly path: string;
  readonly isSecure: boolean;
  /** `namespace/name` of the Ingress that it is for. */
  readonly ingress: string;
}

/**
 * Requests that every path of every Ingress gets: itself, something below it, and a stranger beside it. Of
 * a path that is a pattern only its plain beginning is asked for.
 *
 * ```ts
 * const rule = { path: '/cart', pathType: 'Prefix', backend: { service: { name: 'web', port: { number: 80 } } } };
 * const ingress = {
 *   apiVersion: 'networking.k8s.io/v1',
 *   kind: 'Ingress',
 *   metadata: { name: 'shop', namespace: 'web' },
 *   spec: { ingressClassName: 'nginx', rules: [{ host: 'shop.test', http: { paths: [rule] } }] },
 * };
 * const nginx = {
 *   apiVersion: 'networking.k8s.io/v1',
 *   kind: 'IngressClass',
 *   metadata: { name: 'nginx' },
 *   spec: { controller: 'k8s.io/ingress-nginx' },
 * };
 * nginxSamples([nginx, ingress]).map(({ host, path }) => host + path); // ['shop.test/cart', 'shop.test/cart/waygate-sample', 'shop.test/waygate-sample-of-nothing']
 * ```
 */
export function nginxSamples(
  objects: readonly KubeObject[],
  options: NginxOptions = {},
): SampleRequest[] {
  const resolved = resolveNginxOptions(options);
  const store = new ObjectStore();
  for (const object of objects) store.put(object);
  const samples = new Map<string, SampleRequest>();
  for (const ingress of store.list<Ingress>('Ingress')) {
    if (!isNginxIngress(store, ingress, resolved)) continue;
    const { namespace, name } = ingress.metadata;
    const secure = new Set((ingress.spec?.tls ?? []).flatMap(({ hosts }) => hosts ?? []));
    for (const { host, http } of ingress.spec?.rules ?? []) {
      // Any name below a wildcard will do.
      const asked = host?.replace(/^\*\./, 'waygate-sample.') ?? 'waygate-sample.invalid';
      const paths = (http?.paths ?? []).flatMap(({ path }) => around(path || '/'));
      for (const path of new Set([...paths, '/waygate-sample-of-nothing']))
        for (const isSecure of secure.has(host ?? '') ? [false, true] : [false]) {
          const sample = { host: asked, path, isSecure, ingress: `${namespace}/${name}` };
          const key = `${isSecure} ${asked} ${path}`;
          if (!samples.has(key)) samples.set(key, sample);
        }
    }
  }
  return [...samples.values()];
}

function around(path: string): string[] {
  const plain = path.replace(/[\\^$.*+?()[\]{}|].*$/, '') || '/';
  const bare = plain.replace(/\/$/, '');
  return [plain, `${bare}/waygate-sample`];
}
