import { createHash } from 'node:crypto';
import type { KongPluginResource } from '../objects/kong-resources.ts';
import { compareText, keyOf } from '../objects/reference.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { annotationsOf, ingressClassAnnotation } from './annotations.ts';
import { entityId } from './entity-ids.ts';
import { isDefaultClass } from './ingress-class.ts';
import type { PluginEntity } from './kong-state.ts';
import type { ResolvedOptions } from './options.ts';
import { pluginConfig } from './plugin-config.ts';
import type { PluginName, PluginUse } from './plugin-use.ts';
import type { ProblemList } from './problem.ts';
import { tagsOf } from './tags.ts';

type Scope = Pick<PluginEntity, 'service' | 'route' | 'consumer' | 'consumer_group'>;

/** The Kong plugins that one KongPlugin becomes, wherever annotations put it. */
export function buildPlugins(
  { namespace, name }: PluginName,
  uses: readonly PluginUse[],
  reader: ObjectReader,
  options: ResolvedOptions,
  problems: ProblemList,
): {
  readonly entities: PluginEntity[];
  readonly source: KongPluginResource | undefined;
  /** Uses that cannot be had. */
  readonly unmet: readonly PluginUse[];
} {
  const resource = findPlugin(namespace, name, reader);
  if (resource === undefined) {
    const message = `referenced KongPlugin or KongClusterPlugin ${JSON.stringify(name)} does not exist`;
    problems.add(message, ...new Set(uses.map(({ referrer }) => referrer)));
    return { entities: [], source: undefined, unmet: uses };
  }
  const template = pluginTemplate(resource, reader, problems);
  if (template === undefined) return { entities: [], source: resource, unmet: uses };
  const used = new Set<string>();
  const entities = scopesOf(uses).map((scope) => {
    const plugin: PluginEntity = { ...template, ...scope };
    if (plugin.instance_name !== undefined)
      plugin.instance_name = uniqueInstanceName(plugin.instance_name, scope, used);
    return withId(plugin, options);
  });
  return { entities, source: resource, unmet: [] };
}

/** A KongPlugin of the referrer's namespace, else a KongClusterPlugin. Naming it is enough: no class. */
function findPlugin(
  namespace: string,
  name: string,
  reader: ObjectReader,
): KongPluginResource | undefined {
  const plugin = reader.get<KongPluginResource>('KongPlugin', namespace, name);
  if (plugin !== undefined) return plugin;
  return reader.get<KongPluginResource>('KongClusterPlugin', '', name);
}

function isClusterPluginOfClass(
  plugin: KongPluginResource,
  reader: ObjectReader,
  { ingressClass }: ResolvedOptions,
): boolean {
  const annotated = annotationsOf(plugin)[ingressClassAnnotation] ?? '';
  return annotated === ingressClass || (annotated === '' && isDefaultClass(reader, ingressClass));
}

/** Plugins for everything: KongClusterPlugins labelled `global`. Of two of one sort the older counts. */
export function buildGlobalPlugins(
  reader: ObjectReader,
  options: ResolvedOptions,
  problems: ProblemList,
): { readonly entities: PluginEntity[]; readonly sources: KongPluginResource[] } {
  const byName = new Map<string, KongPluginResource[]>();
  for (const plugin of reader.list<KongPluginResource>('KongClusterPlugin')) {
    if (plugin.metadata.labels?.global !== 'true') continue;
    if (!isClusterPluginOfClass(plugin, reader, options)) continue;
    const name = plugin.plugin ?? '';
    if (name !== '') byName.set(name, [...(byName.get(name) ?? []), plugin]);
  }
  const entities: PluginEntity[] = [];
  const sources: KongPluginResource[] = [];
  for (const name of [...byName.keys()].sort(compareText)) {
    const [plugin, ...others] = byName.get(name)!;
    if (plugin === undefined) continue;
    const owner = keyOf(plugin);
    for (const other of others)
      problems.addConflict(`KongClusterPlugin ${owner} is the global ${name} already`, other);
    const template = pluginTemplate(plugin, reader, problems);
    if (template === undefined) continue;
    entities.push(withId(template, options));
    sources.push(plugin);
  }
  return { entities, sources };
}

function pluginTemplate(
  resource: KongPluginResource,
  reader: ObjectReader,
  problems: ProblemList,
): PluginEntity | undefined {
  if (!resource.plugin) return undefined;
  const result = pluginConfig(resource, reader);
  if ('error' in result) {
    problems.add(result.error, resource);
    return undefined;
  }
  const plugin: PluginEntity = { name: resource.plugin, tags: tagsOf(resource) };
  if (Object.keys(result.config).length > 0) plugin.config = result.config;
  if (resource.run_on) plugin.run_on = resource.run_on;
  if (resource.disabled) plugin.enabled = false;
  if (resource.ordering) plugin.ordering = resource.ordering;
  if (resource.protocols?.length) plugin.protocols = resource.protocols;
  if (resource.instance_name) plugin.instance_name = resource.instance_name;
  return plugin;
}

/**
 * Where a plugin goes: with consumers, to each consumer on each service and route; without, but with
 * consumer groups, likewise; else to each service and to each route.
 */
export function scopesOf(uses: readonly PluginUse[]): Scope[] {
  const named = (scope: PluginUse['scope']) =>
    [...new Set(uses.filter((use) => use.scope === scope).map(({ entity }) => entity))].sort(
      compareText,
    );
  const places: Scope[] = [
    ...named('service').map((service) => ({ service })),
    ...named('route').map((route) => ({ route })),
  ];
  const consumers = named('consumer');
  const groups = named('consumer_group');
  const clients: Scope[] =
    consumers.length > 0
      ? consumers.map((consumer) => ({ consumer }))
      : groups.map((group) => ({ consumer_group: group }));
  if (clients.length === 0) return places;
  if (places.length === 0) return clients;
  return clients.flatMap((client) => places.map((place) => ({ ...place, ...client })));
}

/** Kong wants instance names to be unique, but one KongPlugin may become many plugins. */
function uniqueInstanceName(name: string, scope: Scope, used: Set<string>): string {
  const parts = [
    ['service', scope.service],
    ['route', scope.route],
    ['consumer', scope.consumer],
    ['group', scope.consumer_group],
  ].flatMap(([key, value]) => (value === undefined ? [] : [`_${key}-${value}`]));
  const digest = createHash('sha256').update(parts.join('')).digest('hex');
  const short = `${name}-${digest.slice(0, 9)}`;
  const unique = used.has(short) ? `${name}-${digest}` : short;
  used.add(unique);
  return unique;
}

function withId(plugin: PluginEntity, { features, workspace }: ResolvedOptions): PluginEntity {
  if (!features.fillIds) return plugin;
  const key = [
    plugin.name,
    plugin.service === undefined ? '' : `:service/${plugin.service}`,
    plugin.route === undefined ? '' : `:route/${plugin.route}`,
    plugin.consumer === undefined ? '' : `:consumer/${plugin.consumer}`,
    plugin.consumer_group === undefined ? '' : `:consumer_group/${plugin.consumer_group}`,
  ].join('');
  return { ...plugin, id: entityId('plugins', key, workspace) };
}
