import { errorLines, type JsonObject, type RouterFlavor, validateEntity } from '@waygate/kong';
import type { KongState } from '../translate/kong-state.ts';
import type { Problem } from '../translate/problem.ts';
import { objectFromTags } from '../translate/tags.ts';

/**
 * Looks for entities that break the gateway's rules by our own copy of them. For refusals that do
 * not say which entity is meant, so that somebody can be held back rather than everybody.
 */
export function locateInvalid(state: KongState, routerFlavor: RouterFlavor): Problem[] {
  const problems: Problem[] = [];
  const check = (collection: string, entity: object) => {
    const { errors } = validateEntity(collection, entity as JsonObject, {
      routerFlavor,
      database: 'off',
    });
    const tags = (entity as { tags?: readonly string[] }).tags ?? [];
    const object = errors === undefined ? undefined : objectFromTags(tags);
    if (errors === undefined || object === undefined) return;
    const { group, version, kind, name, namespace, uid } = object;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    for (const line of errorLines(errors))
      problems.push({
        object: { apiVersion, kind, namespace, name, uid },
        message: `invalid ${collection}: ${line}`,
      });
  };
  for (const { routes = [], plugins: _plugins, client_certificate, ...service } of state.services) {
    check('services', service);
    for (const { plugins: _own, ...route } of routes) check('routes', route);
  }
  for (const { targets: _targets, ...upstream } of state.upstreams) check('upstreams', upstream);
  for (const plugin of state.plugins) {
    const { service: _s, route: _r, consumer: _c, consumer_group: _g, ...rest } = plugin;
    check('plugins', rest);
  }
  for (const vault of state.vaults) check('vaults', vault);
  for (const authority of state.caCertificates) check('ca_certificates', authority);
  return problems;
}
