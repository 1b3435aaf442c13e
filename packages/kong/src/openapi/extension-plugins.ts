import { copyState, type StateObject } from '../rewrite/state-document.ts';
import type { EntityMaker } from './entity-maker.ts';
import type { OpenApiDocument } from './openapi-document.ts';

const prefix = 'x-kong-plugin-';

/** Whether anything at a place asks for a plugin. */
export function hasPlugins(owner: StateObject): boolean {
  return Object.keys(owner).some((key) => key.startsWith(prefix));
}

/**
 * The plugins for one entity: those that it inherits, and over them those that directives such as
 * `x-kong-plugin-cors` ask for. In the order of their names; what is inherited is copied, as each
 * entity has a plugin of its own.
 */
export function pluginsAt(
  document: OpenApiDocument,
  maker: EntityMaker,
  owner: StateObject,
  baseName: string,
  inherited: readonly StateObject[] = [],
): StateObject[] {
  const byName = new Map<string, StateObject>();
  for (const plugin of inherited) byName.set(String(plugin.name), copyState(plugin));
  for (const key of Object.keys(owner)) {
    if (!key.startsWith(prefix)) continue;
    const plugin = document.directive(owner, key) ?? {};
    plugin.name = key.slice(prefix.length);
    // Which service or route a plugin is on follows from where it stands.
    delete plugin.service;
    delete plugin.route;
    byName.set(plugin.name, plugin);
  }
  for (const plugin of byName.values()) {
    maker.identifyPlugin(plugin, baseName);
    plugin.tags = [...maker.tags];
  }
  return inOrder([...byName.values()]);
}

/** A list with one more plugin in its place; one of the same name gives way. */
export function withPlugin(
  plugins: readonly StateObject[],
  added: StateObject | undefined,
): StateObject[] {
  if (added === undefined) return [...plugins];
  return inOrder([...plugins.filter(({ name }) => name !== added.name), added]);
}

function inOrder(plugins: StateObject[]): StateObject[] {
  return plugins.sort((one, two) => (String(one.name) < String(two.name) ? -1 : 1));
}

/** The plugin that validates requests is made for each operation: it is taken out of a list. */
export function takeValidator(
  plugins: readonly StateObject[],
  inherited: StateObject | undefined,
): { readonly validator: StateObject | undefined; readonly rest: StateObject[] } {
  return {
    validator: plugins.find(({ name }) => name === 'request-validator') ?? inherited,
    rest: plugins.filter(({ name }) => name !== 'request-validator'),
  };
}

/** Plugins for one consumer stand at the top of a file, as they belong to two entities. */
export class ConsumerPlugins {
  readonly #plugins: StateObject[] = [];

  /** Takes those of a list that are for a consumer, and leaves the others. */
  take(
    plugins: readonly StateObject[],
    owner: 'service' | 'route',
    ownerName: string,
  ): StateObject[] {
    const isOurs = ({ consumer }: StateObject): boolean =>
      consumer !== undefined && consumer !== null;
    for (const plugin of plugins.filter(isOurs)) {
      plugin[owner] = ownerName;
      this.#plugins.push(plugin);
    }
    return plugins.filter((plugin) => !isOurs(plugin));
  }

  list(): StateObject[] {
    const key = ({ name, service, route, consumer }: StateObject): string =>
      [name, service ?? '', route ?? '', consumer].map((part) => `${String(part)}\0`).join('');
    return [...this.#plugins].sort((one, two) => (key(one) < key(two) ? -1 : 1));
  }
}
