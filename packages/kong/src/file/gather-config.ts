import type { DeclarativeConfig } from '../entity/declarative-config.ts';
import type { JsonObject } from '../entity/entities.ts';
import { withDefaults } from '../sync/build-target.ts';

/** What decK writes out when it turns files of several teams into one for a gateway. */
const written: Readonly<Record<string, JsonObject>> = {
  service: { connect_timeout: 60000, protocol: 'http', read_timeout: 60000, write_timeout: 60000 },
  route: {
    preserve_host: false,
    protocols: ['http', 'https'],
    regex_priority: 0,
    strip_path: true,
  },
  upstream: {
    hash_fallback: 'none',
    hash_on: 'none',
    hash_on_cookie_path: '/',
    slots: 10000,
  },
  target: { weight: 100 },
};

/**
 * Turns what several files say together into one file that needs nothing else: `_info.defaults` are
 * written out, and `_info` goes.
 *
 * ```ts
 * const _info = { defaults: { service: { port: 8080 } } };
 * const config = { _info, services: [{ name: 'shop', host: 'shop' }] };
 * findConversion('distributed', 'kong-gateway')?.(config).config.services?.[0]?.port; // 8080
 * ```
 */
export function gatherConfig(
  config: DeclarativeConfig,
  formatVersion: '1.1' | '3.0',
): DeclarativeConfig {
  const own = (config._info?.defaults ?? {}) as Readonly<Record<string, JsonObject | undefined>>;
  const fill = (noun: string, list: unknown): readonly JsonObject[] =>
    (list as readonly JsonObject[]).map((entity) => {
      const nested = noun === 'service' ? ['route', 'routes'] : ['target', 'targets'];
      const [inner = '', key = ''] = nested;
      const children = entity[key];
      const defaults = withDefaults(own[noun] ?? {}, written[noun] ?? {});
      const whole = withDefaults(
        entity,
        isGrpc(entity) ? { ...defaults, strip_path: false } : defaults,
      );
      return Array.isArray(children) ? { ...whole, [key]: fill(inner, children) } : whole;
    });
  const { _info, services, routes, upstreams, ...rest } = config;
  return {
    ...rest,
    _format_version: formatVersion,
    ...(services === undefined ? {} : { services: fill('service', services) }),
    ...(routes === undefined ? {} : { routes: fill('route', routes) }),
    ...(upstreams === undefined ? {} : { upstreams: fill('upstream', upstreams) }),
  } as DeclarativeConfig;
}

/** Kong refuses to strip the path of a gRPC route. */
function isGrpc(entity: JsonObject): boolean {
  const { protocols } = entity;
  return Array.isArray(protocols) && protocols.some((name) => name === 'grpc' || name === 'grpcs');
}
