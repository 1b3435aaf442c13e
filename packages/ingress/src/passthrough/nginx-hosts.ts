import type { Endpoint } from '@waygate/passthrough';
import type { Ingress } from '../objects/ingress.ts';
import { compareByAge } from '../objects/reference.ts';
import type { Service } from '../objects/service.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { annotationsOf } from '../translate/annotations.ts';
import { isNginxIngress } from '../translate/nginx/class-of.ts';
import type { ResolvedNginxOptions } from '../translate/nginx/options.ts';
import { portOf } from '../translate/nginx/upstream.ts';

/** Values that ingress-nginx takes for true. */
const yes: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

/**
 * The hosts whose TLS ingress-nginx passes on: all that an annotated Ingress of its class names. It goes
 * to the address of the Service behind the path `/`, whichever Ingress has that; without one the
 * connections lead nowhere.
 */
export function nginxPassthroughHosts(
  reader: ObjectReader,
  options: ResolvedNginxOptions,
): Map<string, { readonly ingress: Ingress; readonly endpoints: readonly Endpoint[] }> {
  const annotation = `${options.annotationsPrefix}/ssl-passthrough`;
  const all = reader
    .list<Ingress>('Ingress')
    .filter((ingress) => isNginxIngress(reader, ingress, options))
    .sort(compareByAge);
  const hosts = new Map<string, { ingress: Ingress; endpoints: readonly Endpoint[] }>();
  for (const ingress of all) {
    if (!yes.has(annotationsOf(ingress)[annotation] ?? '')) continue;
    for (const { host } of ingress.spec?.rules ?? []) {
      if (!host || hosts.has(host)) continue;
      hosts.set(host, { ingress, endpoints: rootOf(host, all, reader) });
    }
  }
  return hosts;
}

function rootOf(host: string, ingresses: readonly Ingress[], reader: ObjectReader): Endpoint[] {
  for (const { metadata, spec } of ingresses) {
    for (const rule of spec?.rules ?? []) {
      if (rule.host !== host) continue;
      const path = rule.http?.paths?.find((one) => (one.path || '/') === '/');
      const backend = path?.backend?.service ?? undefined;
      if (backend === undefined) continue;
      const wanted = String(backend.port?.number ?? backend.port?.name ?? '');
      return endpointsOf(reader, metadata.namespace ?? '', backend.name, wanted);
    }
  }
  return [];
}

/** The Service itself, and not its Pods. */
function endpointsOf(
  reader: ObjectReader,
  namespace: string,
  name: string,
  wanted: string,
): Endpoint[] {
  const service = reader.get<Service>('Service', namespace, name);
  const { clusterIP: address } = service?.spec ?? {};
  const port = service && portOf(service, wanted);
  if (!address || address === 'None' || port === undefined) return [];
  return [{ address, port: port.port }];
}
