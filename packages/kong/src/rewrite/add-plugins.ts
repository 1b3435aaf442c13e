import { KongError } from '../kong-error.ts';
import { Selector } from './selector.ts';
import {
  copyState,
  isStateObject,
  objectsOf,
  type StateObject,
  textsOf,
} from './state-document.ts';

/** Plugins that are put into the `plugins` of what is selected. */
export interface PluginAddition {
  /** None select the file itself: its top-level plugins. */
  readonly selectors: readonly string[];
  readonly plugins: readonly StateObject[];
  /** Whether a plugin of the same name is replaced; it stays otherwise. */
  readonly overwrite: boolean;
}

const scopes = ['service', 'route', 'consumer', 'consumer_group'] as const;

/** Adds plugins; at the top of the file one of the same name and scope is the same plugin. */
export function addPlugins(document: StateObject, addition: PluginAddition): void {
  const { selectors, plugins, overwrite } = addition;
  const owners = new Selector(selectors.length === 0 ? ['$'] : selectors).objects(document);
  const isTopOnly = owners.length === 1 && owners[0] === document;
  for (const [index, plugin] of plugins.entries()) {
    if (!isTopOnly && scopeOf(plugin) !== scopeOf({})) {
      throw new KongError(
        'WG_KONG_FILE',
        `plugin ${index} has foreign keys, but they are only supported in the main plugin array`,
      );
    }
  }
  for (const plugin of plugins) {
    for (const owner of owners) addPlugin(owner, plugin, overwrite, owner === document);
  }
}

function addPlugin(
  owner: StateObject,
  plugin: StateObject,
  overwrite: boolean,
  isTop: boolean,
): void {
  const list = Array.isArray(owner.plugins) ? owner.plugins : [];
  owner.plugins = list;
  const at = list.findIndex(
    (each) =>
      isStateObject(each) &&
      each.name === plugin.name &&
      (!isTop || scopeOf(each) === scopeOf(plugin)),
  );
  if (at < 0) list.push(copyState(plugin));
  else if (overwrite) list[at] = copyState(plugin);
}

/** Equal for plugins that apply to the same entities. */
function scopeOf(plugin: StateObject): string {
  return JSON.stringify(scopes.map((field) => plugin[field] ?? null));
}

/** Reads a file of `add-plugins`. */
export function readPluginAdditions(document: StateObject, file: string): PluginAddition[] {
  return objectsOf(document, 'add-plugins', file).map((entry, index) => {
    const place = `${file}: add-plugins[${index}]`;
    const { overwrite = false } = entry;
    if (typeof overwrite !== 'boolean') {
      throw new KongError('WG_KONG_FILE', `${place}.overwrite is not a boolean`);
    }
    const selectors = textsOf(entry, 'selectors', place) ?? [];
    return { selectors, plugins: objectsOf(entry, 'plugins', place), overwrite };
  });
}
