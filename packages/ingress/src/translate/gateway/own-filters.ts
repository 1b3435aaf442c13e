import type { BackendReference, HttpRouteFilter } from '../../objects/gateway-api.ts';
import type { PluginEntity } from '../kong-state.ts';

/** The Kong service that stands for the backend of a mirror: its upstream gets the copies. */
export function mirrorServiceName(
  route: { readonly metadata: { readonly namespace?: string; readonly name?: string } },
  { namespace, name, port }: BackendReference,
): string {
  const { namespace: own = '', name: owner = '' } = route.metadata;
  return `httproute.${own}.${owner}.mirror.${namespace ?? own}.${name}.${port ?? 0}`;
}

/** All backends that the filters of a rule mirror to. */
export function mirroredBackends(
  filters: readonly HttpRouteFilter[] | null | undefined,
): BackendReference[] {
  return (filters ?? []).flatMap(({ type, requestMirror }) =>
    type === 'RequestMirror' && requestMirror ? [requestMirror.backendRef] : [],
  );
}

/** The type of filters that stand for a plugin of ours: no HTTPRoute can name it. */
export const ownFilter = 'waygate';

/** One plugin for all mirrors of a rule: a route can have a plugin only once. */
export function mirrorPlugin(
  filters: readonly HttpRouteFilter[],
  hostOf: (reference: BackendReference) => string,
): PluginEntity | undefined {
  const mirrors = filters.flatMap(({ type, requestMirror }) => {
    if (type !== 'RequestMirror' || !requestMirror) return [];
    const { backendRef, percent, fraction } = requestMirror;
    const share = fraction
      ? { numerator: fraction.numerator, denominator: fraction.denominator ?? 100 }
      : { numerator: percent ?? 100, denominator: 100 };
    return [{ host: hostOf(backendRef), port: backendRef.port ?? 80, ...share }];
  });
  return mirrors.length === 0 ? undefined : { name: 'http-route-mirror', config: { mirrors } };
}

export function corsPlugin({ cors }: HttpRouteFilter): PluginEntity {
  const config: Record<string, unknown> = {
    allow_origins: cors?.allowOrigins ?? [],
    allow_methods: cors?.allowMethods ?? [],
    allow_headers: cors?.allowHeaders ?? [],
    expose_headers: cors?.exposeHeaders ?? [],
    allow_credentials: cors?.allowCredentials ?? false,
    max_age: cors?.maxAge ?? 5,
  };
  return { name: 'http-route-cors', config };
}

/** A redirect that leaves all that it does not name as it is in the request. */
export function ownRedirectPlugin(
  { requestRedirect }: HttpRouteFilter,
  matchedPrefix: string,
): PluginEntity {
  const { scheme, hostname, port, path, statusCode } = requestRedirect ?? {};
  const config: Record<string, unknown> = { status_code: statusCode ?? 302 };
  if (scheme) config.scheme = scheme;
  if (hostname) config.hostname = hostname;
  if (port) config.port = port;
  if (path?.type === 'ReplaceFullPath') config.full_path = path.replaceFullPath ?? '/';
  if (path?.type === 'ReplacePrefixMatch') {
    config.prefix = path.replacePrefixMatch ?? '';
    config.matched_prefix = matchedPrefix || '/';
  }
  return { name: 'http-route-redirect', config };
}
