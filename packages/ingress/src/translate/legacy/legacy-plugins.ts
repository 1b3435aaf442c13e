import type { KubeObject } from '@waygate/schema';
import type { KongPluginResource } from '../../objects/kong-resources.ts';
import { compareText } from '../../objects/reference.ts';
import { entryOf } from '../../store/entry-of.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import { annotationsOf, splitList } from '../annotations.ts';
import type { FaultList } from '../faults.ts';
import type { PluginEntity } from '../kong-state.ts';
import { isAtLeast, type ResolvedOptions } from '../options.ts';
import { type PluginUse, pluginText } from '../plugin-use.ts';
import { scopesOf } from '../plugins.ts';
import type { ProblemList } from '../problem.ts';
import { isOfLegacyClass, legacyAnnotation } from './legacy-annotations.ts';
import { withSchemaDefaults } from './legacy-schema-defaults.ts';

export function legacyUses(
  scope: PluginUse['scope'],
  entity: string,
  referrer: KubeObject,
): PluginUse[] {
  const value = legacyAnnotation(annotationsOf(referrer), 'plugins') ?? '';
  const namespace = referrer.metadata.namespace ?? '';
  return splitList(value).map((name) => ({
    plugin: { namespace, name },
    scope,
    entity,
    referrer,
  }));
}

/** The plugins that annotations put on services, routes and consumers. */
export function legacyPlugins(
  uses: readonly PluginUse[],
  reader: ObjectReader,
  options: ResolvedOptions,
  problems: ProblemList,
  faults: FaultList,
): PluginEntity[] {
  const byPlugin = new Map<string, PluginUse[]>();
  for (const use of uses) entryOf(byPlugin, pluginText(use.plugin), () => []).push(use);
  return [...byPlugin.keys()].sort(compareText).flatMap((key) => {
    const own = byPlugin.get(key)!;
    const { namespace, name } = own[0]!.plugin;
    const resource =
      reader.get<KongPluginResource>('KongPlugin', namespace, name) ?? clusterPlugin(name, reader);
    if (!resource?.plugin) faults.addIncomplete(own.map((use) => `${use.scope} ${use.entity}`));
    if (resource === undefined) {
      problems.add(
        `referenced KongPlugin or KongClusterPlugin ${JSON.stringify(name)} does not exist`,
        ...new Set(own.map(({ referrer }) => referrer)),
      );
      return [];
    }
    if (!resource.plugin) return [];
    const template = templateOf(resource);
    return scopesOf(own).map((scope) => filledPlugin({ ...template, ...scope }, options));
  });
}

/** One with a namespace cannot come from an API server, and was not found at the time. */
function clusterPlugin(name: string, reader: ObjectReader): KongPluginResource | undefined {
  const plugin = reader.get<KongPluginResource>('KongClusterPlugin', '', name);
  return plugin?.metadata.namespace ? undefined : plugin;
}

/** Plugins labelled global; two of one sort cancel each other. */
export function legacyGlobalPlugins(
  reader: ObjectReader,
  options: ResolvedOptions,
): PluginEntity[] {
  const byName = new Map<string, KongPluginResource[]>();
  for (const kind of ['KongPlugin', 'KongClusterPlugin'] as const) {
    for (const plugin of reader.list<KongPluginResource>(kind)) {
      if (plugin.metadata.labels?.global !== 'true' || !plugin.plugin) continue;
      if (!isOfLegacyClass(plugin, options.ingressClass)) continue;
      const key = `${kind} ${plugin.plugin}`;
      byName.set(key, [...(byName.get(key) ?? []), plugin]);
    }
  }
  const plugins = new Map<string, PluginEntity>();
  for (const [first, second] of [...byName.values()]) {
    if (first === undefined || second !== undefined) continue;
    plugins.set(first.plugin ?? '', filledPlugin(templateOf(first), options));
  }
  return [...plugins.values()].sort((left, right) => compareText(left.name, right.name));
}

function templateOf(resource: KongPluginResource): PluginEntity {
  const plugin: PluginEntity = { name: resource.plugin ?? '' };
  if (resource.config && Object.keys(resource.config).length > 0) plugin.config = resource.config;
  if (resource.run_on) plugin.run_on = resource.run_on;
  if (resource.disabled) plugin.enabled = false;
  if (resource.protocols?.length) plugin.protocols = resource.protocols;
  return plugin;
}

/** What a Kong of the given version would fill in itself; the comparison with its answers needs it. */
export function filledPlugin(plugin: PluginEntity, options: ResolvedOptions): PluginEntity {
  const filled: PluginEntity = { ...plugin, enabled: plugin.enabled ?? true };
  const config = withSchemaDefaults(plugin.config ?? {}, options.pluginSchemas[plugin.name]);
  if (Object.keys(config).length > 0) filled.config = config;
  const { kongVersion } = options;
  if (isAtLeast(kongVersion, 1, 1)) filled.protocols ??= ['http', 'https'];
  if (isAtLeast(kongVersion, 2, 0)) delete filled.run_on;
  else filled.run_on ??= 'first';
  return filled;
}
