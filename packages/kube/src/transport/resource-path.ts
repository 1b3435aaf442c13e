import { apiVersionOf, type Kind, type KubeObject } from '@waygate/schema';
import { KubeError } from '../error.ts';

export interface ResourceAddress {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  /** May have several segments, as `proxy/metrics`. */
  readonly subresource?: string | undefined;
}

/** The path of a resource, such as `/apis/apps/v1/namespaces/shop/deployments/web/scale`. */
export function resourcePath(kind: Kind<KubeObject>, address: ResourceAddress): string {
  const root = kind.group === '' ? '/api/' : '/apis/';
  const segments = [kind.plural];
  if (kind.scope === 'Namespaced' && address.namespace !== undefined && address.namespace !== '') {
    segments.unshift('namespaces', segment(address.namespace, 'namespace'));
  }
  if (address.name !== undefined) segments.push(segment(address.name, 'name'));
  if (address.subresource !== undefined) {
    segments.push(...address.subresource.split('/').map((part) => segment(part, 'subresource')));
  }
  return `${root}${apiVersionOf(kind.group, kind.version)}/${segments.join('/')}`;
}

/** A name that would change the path is refused here rather than sent to another object. */
function segment(value: string, what: string): string {
  if (value === '' || value === '.' || value === '..' || /[/%]/.test(value)) {
    throw new KubeError('WG_KUBE_CONFIG', `"${value}" cannot be the ${what} of an object`);
  }
  return encodeURIComponent(value);
}

type QueryValue = string | number | boolean | readonly string[] | undefined;

/** The query of a request, with the question mark; empty when nothing is set. */
export function queryString(values: Readonly<Record<string, QueryValue>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    if (typeof value === 'object') for (const one of value) query.append(name, one);
    else query.append(name, String(value));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}
