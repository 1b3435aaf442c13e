import { isStateObject, type StateObject } from '../rewrite/state-document.ts';
import {
  classAnnotation,
  fieldAnnotations,
  type KicTarget,
  kongApi,
  type Manifest,
  manifest,
} from './manifest.ts';

/** The manifest of one plugin. */
export function pluginManifest(
  target: KicTarget,
  kind: 'KongPlugin' | 'KongClusterPlugin',
  name: string,
  plugin: StateObject,
): Manifest {
  const { enabled, run_on: runOn, ordering, protocols, config } = plugin;
  return manifest(kongApi, kind, name, {
    annotations: { ...fieldAnnotations(plugin, ['tags']), ...classAnnotation(target) },
    body: {
      plugin: String(plugin.name),
      config: config ?? null,
      ...(enabled === false ? { disabled: true } : {}),
      ...(typeof runOn === 'string' ? { run_on: runOn } : {}),
      ...(isStateObject(ordering) ? { ordering } : {}),
      ...(Array.isArray(protocols) ? { protocols } : {}),
    },
  });
}

/** The name of a manifest. */
export function nameOf({ metadata }: Manifest): string {
  return String((metadata as StateObject).name);
}

/** The plugins of a configuration, by the entity that they are on. */
export class PluginPlaces {
  readonly #target: KicTarget;
  readonly #placed = new Map<StateObject, string[]>();
  readonly manifests: Manifest[] = [];

  constructor(target: KicTarget) {
    this.#target = target;
  }

  /** Makes the manifests of the plugins of an entity, and says their names. */
  of(entity: StateObject, ownerName: string): readonly string[] {
    const own = (Array.isArray(entity.plugins) ? entity.plugins : [])
      .filter(isStateObject)
      .filter(({ name }) => typeof name === 'string')
      .map((plugin) => this.add(`${ownerName}-${String(plugin.name)}`, plugin));
    return [...own, ...(this.#placed.get(entity) ?? [])];
  }

  /** Puts a plugin with several owners on one of them. */
  place(entity: StateObject, pluginName: string): void {
    this.#placed.set(entity, [...(this.#placed.get(entity) ?? []), pluginName]);
  }

  add(name: string, plugin: StateObject): string {
    const made = pluginManifest(this.#target, 'KongPlugin', name, plugin);
    this.manifests.push(made);
    return nameOf(made);
  }
}

/** The annotation that puts plugins on an object. */
export function pluginsAnnotation(names: readonly string[]): Record<string, string> {
  return names.length === 0 ? {} : { 'konghq.com/plugins': names.join(',') };
}
