import type { Ingress, IngressBackend } from '../objects/ingress.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import type { UpstreamEntity } from '../translate/kong-state.ts';
import { isNginxIngress } from '../translate/nginx/class-of.ts';
import type { ResolvedNginxOptions } from '../translate/nginx/options.ts';
import { upstreamName } from '../translate/nginx/upstream.ts';
import type { OrphanRow } from './nginx-controller-metrics.ts';

/** For each Ingress of ingress-nginx' class whether its paths lead somewhere. */
export function nginxOrphans(
  reader: ObjectReader,
  upstreams: readonly UpstreamEntity[],
  options: ResolvedNginxOptions,
): OrphanRow[] {
  const served = new Set(
    upstreams.filter(({ targets = [] }) => targets.length > 0).map(({ name }) => name),
  );
  return reader
    .list<Ingress>('Ingress')
    .filter((ingress) => isNginxIngress(reader, ingress, options))
    .map((ingress) => {
      const namespace = ingress.metadata.namespace ?? '';
      const services = backendsOf(ingress).flatMap((one) => (one?.service ? [one.service] : []));
      const isMissing = (name: string) => reader.get('Service', namespace, name) === undefined;
      return {
        namespace,
        ingress: ingress.metadata.name ?? '',
        lacksService: services.some(({ name }) => isMissing(name)),
        lacksEndpoint: services.some(({ name, port }) => {
          const text = String(port?.number ?? port?.name ?? '');
          const upstream = upstreamName({ namespace, service: name, port: text });
          return !isMissing(name) && !served.has(upstream);
        }),
      };
    });
}

function backendsOf({ spec }: Ingress): (IngressBackend | null | undefined)[] {
  const paths = (spec?.rules ?? []).flatMap(({ http }) => http?.paths ?? []);
  return [spec?.defaultBackend, ...paths.map((one) => one.backend)];
}
