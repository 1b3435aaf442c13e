import { isObject } from '@waygate/text';
import type { DeclarativeConfig } from '../entity/declarative-config.ts';
import type { JsonObject, JsonValue } from '../entity/entities.ts';

/** Turns the configuration of one plugin into that of a later Kong, and tells each change. */
export type PluginChange = (
  name: string,
  config: JsonObject,
  tell: (change: string) => void,
) => JsonObject;

/** A value with the plugins in it changed, wherever they are nested. */
function changeNested(value: JsonValue, key: string, change: (plugin: JsonObject) => JsonObject) {
  const within = (inner: JsonValue, name: string): JsonValue => {
    if (Array.isArray(inner)) {
      return inner.map((item) => {
        const deeper = within(item, '');
        return name === 'plugins' && isObject(deeper) ? change(deeper) : deeper;
      });
    }
    if (!isObject(inner)) return inner;
    // What is in a plugin's configuration is the plugin's own: no plugins are nested in it.
    return Object.fromEntries(
      Object.entries(inner).map(([one, item]) => [
        one,
        one === 'config' || item === undefined ? item : within(item, one),
      ]),
    ) as JsonObject;
  };
  return within(value, key);
}

/**
 * A configuration with every plugin changed: global ones, and those of services, routes, consumers and
 * consumer groups.
 */
export function changePlugins(
  config: DeclarativeConfig,
  change: PluginChange,
  changes: string[],
): DeclarativeConfig {
  const changed = changeNested(config as JsonObject, '', (plugin) => {
    if (typeof plugin.name !== 'string') return plugin;
    const { name } = plugin;
    const before = isObject(plugin.config) ? plugin.config : undefined;
    const tell = (text: string) => changes.push(`plugin ${name}: ${text}`);
    const after = change(name, before ?? {}, tell);
    return before === undefined && Object.keys(after).length === 0
      ? plugin
      : { ...plugin, config: after };
  });
  return changed as DeclarativeConfig;
}

/** An object with the value at a path made another; undefined where the path leads nowhere. */
function changeAt(
  value: JsonValue | undefined,
  path: readonly string[],
  change: (parent: JsonObject) => JsonObject | undefined,
): JsonValue | undefined {
  if (Array.isArray(value)) {
    const items = value.map((item) => changeAt(item, path, change));
    return items.some((item) => item !== undefined)
      ? items.map((item, index) => item ?? (value[index] as JsonValue))
      : undefined;
  }
  if (!isObject(value)) return undefined;
  const [first, ...rest] = path;
  if (first === undefined) return change(value);
  const inner = changeAt(value[first], rest, change);
  return inner === undefined ? undefined : { ...value, [first]: inner };
}

/**
 * A configuration with a field set where it is not set, if what it stands in is there; undefined when
 * nothing changes. The path goes into the objects of lists.
 */
export function setWhereMissing(
  config: JsonObject,
  path: string,
  value: JsonValue,
): JsonObject | undefined {
  const parts = path.split('.');
  const leaf = parts.pop() as string;
  const set = (parent: JsonObject) =>
    Object.hasOwn(parent, leaf) ? undefined : { ...parent, [leaf]: value };
  return changeAt(config, parts, set) as JsonObject | undefined;
}

/** A configuration with a field under another name, with its value made anew; undefined when it is not there. */
export function replaceField(
  config: JsonObject,
  path: string,
  to: string,
  make: (value: JsonValue) => JsonValue = (value) => value,
): JsonObject | undefined {
  const parts = path.split('.');
  const leaf = parts.pop() as string;
  const replace = (parent: JsonObject): JsonObject | undefined => {
    if (!Object.hasOwn(parent, leaf)) return undefined;
    const { [leaf]: old = null, ...rest } = parent;
    const made = make(old);
    return leaf === to && made === old ? undefined : { ...rest, [to]: made };
  };
  return changeAt(config, parts, replace) as JsonObject | undefined;
}
