import type { KongCustomEntityResource } from '../objects/kong-resources.ts';
import { namespacedKey } from '../objects/reference.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { entityId } from './entity-ids.ts';
import { isReferenceAllowed } from './gateway/reference-grants.ts';
import type { ResolvedOptions } from './options.ts';
import type { PluginName, PluginUse } from './plugin-use.ts';
import type { ProblemList } from './problem.ts';

/**
 * Types that have objects of their own, and what belongs to them: whoever could write these would
 * give himself a key of somebody else's consumer, or the host of somebody else's certificate.
 */
const standardTypes = new Set([
  'services',
  'routes',
  'upstreams',
  'targets',
  'consumers',
  'consumer_groups',
  'consumer_group_consumers',
  'consumer_group_plugins',
  'plugins',
  'certificates',
  'snis',
  'ca_certificates',
  'vaults',
  'licenses',
  'workspaces',
  'tags',
  'acls',
  'basicauth_credentials',
  'hmacauth_credentials',
  'jwt_secrets',
  'keyauth_credentials',
  'keyauth_enc_credentials',
  'mtls_auth_credentials',
  'oauth2_credentials',
  'oauth2_tokens',
  'oauth2_authorization_codes',
]);

export function isStandardType(type: string): boolean {
  return standardTypes.has(type);
}

type ForeignType = 'services' | 'routes' | 'consumers';

/** Foreign keys of entities that plugins of Kong bring along; others are asked for in the options. */
const knownForeignKeys: Readonly<Record<string, Readonly<Record<string, ForeignType>>>> = {
  degraphql_routes: { service: 'services' },
  graphql_ratelimiting_advanced_cost_decoration: { service: 'services' },
};

/** What a plugin is attached to, by the names of Kong entities. */
export interface PluginPlaces {
  usesOf(plugin: PluginName): readonly PluginUse[];
  /** Of the plugins of this name in any namespace. */
  usesOfName(name: string): readonly PluginUse[];
  /** The service that a route leads to. */
  serviceOfRoute(route: string): string | undefined;
}

/** Entities of other types, written out in KongCustomEntities, by their type. */
export function buildCustomEntities(
  reader: ObjectReader,
  options: ResolvedOptions,
  problems: ProblemList,
  places: PluginPlaces,
): {
  readonly entities: Record<string, Record<string, unknown>[]>;
  readonly sources: KongCustomEntityResource[];
} {
  const byType = new Map<string, Record<string, unknown>[]>();
  const sources: KongCustomEntityResource[] = [];
  if (!options.features.kongCustomEntity) return { entities: {}, sources };
  for (const resource of reader.list<KongCustomEntityResource>('KongCustomEntity')) {
    const { type = '', controllerName, fields } = resource.spec ?? {};
    if (controllerName !== options.ingressClass) continue;
    if (isStandardType(type)) {
      const message = `cannot use known entity type ${type} in custom entity`;
      problems.addField(message, 'spec.type', resource);
      continue;
    }
    const keys = foreignKeys(type, options);
    const field = ['id', ...keys.map(([key]) => key)].find((key) =>
      Object.hasOwn(fields ?? {}, key),
    );
    if (field !== undefined) {
      const message = `${field} cannot be set: what the entity belongs to follows from its parent plugin`;
      problems.addField(message, `spec.fields.${field}`, resource);
      continue;
    }
    const owners = ownersOf(resource, keys, reader, places, options, problems);
    if (owners === undefined) continue;
    const entities = owners.map((owner) => ({ ...fields, ...owner }));
    byType.set(type, [...(byType.get(type) ?? []), ...entities]);
    sources.push(resource);
  }
  return {
    entities: Object.fromEntries([...byType].sort(([a], [b]) => (a < b ? -1 : 1))),
    sources,
  };
}

function foreignKeys(type: string, options: ResolvedOptions): [string, ForeignType][] {
  const schema = options.entitySchemas[type];
  if (schema === undefined)
    return Object.entries(Object.hasOwn(knownForeignKeys, type) ? knownForeignKeys[type]! : {});
  const fields = (schema as { fields?: unknown }).fields;
  if (!Array.isArray(fields)) return [];
  return fields.flatMap((field: Record<string, { type?: string; reference?: string }>) =>
    Object.entries(field ?? {}).flatMap(([name, definition]) => {
      const reference = definition?.type === 'foreign' ? definition.reference : undefined;
      if (reference !== 'services' && reference !== 'routes' && reference !== 'consumers')
        return [];
      return [[name, reference] as [string, ForeignType]];
    }),
  );
}

/** One set of foreign keys for each entity that the parent plugin is on; one empty set without keys. */
function ownersOf(
  resource: KongCustomEntityResource,
  keys: readonly [string, ForeignType][],
  reader: ObjectReader,
  places: PluginPlaces,
  options: ResolvedOptions,
  problems: ProblemList,
): Record<string, unknown>[] | undefined {
  const { parentRef } = resource.spec ?? {};
  if (keys.length === 0 || !parentRef) return [{}];
  const own = resource.metadata.namespace ?? '';
  const namespace = parentRef.namespace || own;
  const target = {
    group: 'configuration.konghq.com',
    kind: 'KongPlugin',
    namespace,
    name: parentRef.name,
  };
  if (!isReferenceAllowed(reader, resource, target)) {
    const message = `no grant found for KongCustomEntity in ${own} to plugin ${parentRef.name} in ${namespace}`;
    problems.addField(message, 'spec.parentRef', resource);
    return undefined;
  }
  const isCluster = parentRef.kind === 'KongClusterPlugin';
  const kind = isCluster ? 'KongClusterPlugin' : 'KongPlugin';
  const where = isCluster ? '' : namespace;
  if (reader.get(kind, where, parentRef.name) === undefined) {
    const message = `${kind} ${namespacedKey(where, parentRef.name)} not found`;
    problems.addField(message, 'spec.parentRef', resource);
    return undefined;
  }
  // A KongClusterPlugin is used through the namespaces of those who name it.
  const uses = isCluster
    ? places.usesOfName(parentRef.name)
    : places.usesOf({ namespace, name: parentRef.name });
  let owners: Record<string, unknown>[] = [{}];
  for (const [field, type] of keys) {
    const ids = idsOf(type, uses, places, options);
    if (ids.length === 0) continue;
    owners = owners.flatMap((owner) => ids.map((id) => ({ ...owner, [field]: { id } })));
  }
  return owners;
}

function idsOf(
  type: ForeignType,
  uses: readonly PluginUse[],
  places: PluginPlaces,
  { workspace }: ResolvedOptions,
): string[] {
  const named = (scope: PluginUse['scope']) =>
    uses.filter((use) => use.scope === scope).map(({ entity }) => entity);
  let names: string[];
  if (type === 'routes') names = named('route');
  else if (type === 'consumers') names = named('consumer');
  else {
    const services = named('service');
    names =
      services.length > 0
        ? services
        : named('route').flatMap((route) => places.serviceOfRoute(route) ?? []);
  }
  return [...new Set(names)].sort().map((name) => entityId(type, name, workspace));
}
