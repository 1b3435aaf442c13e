import { isObject } from '@waygate/text';
import type { KongPluginResource, PluginConfig } from '../objects/kong-resources.ts';
import { type Secret, secretText } from '../objects/secret.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { parseYamlObject } from './yaml-value.ts';

type ConfigResult = { readonly config: PluginConfig } | { readonly error: string };

/** The configuration of a plugin: written out, patched with values of Secrets, or all from a Secret. */
export function pluginConfig(plugin: KongPluginResource, reader: ObjectReader): ConfigResult {
  const isCluster = plugin.kind === 'KongClusterPlugin';
  const { namespace: own = '', name = '' } = plugin.metadata;
  let config: unknown = plugin.config ?? {};
  for (const patch of plugin.configPatches ?? []) {
    const reference = patch.valueFrom.secretKeyRef;
    const namespace = isCluster ? (reference.namespace ?? '') : own;
    const value = secretValue(reader, namespace, reference.name, reference.key);
    const patched = 'error' in value ? value : patchedWith(config, patch.path, value.text);
    if ('error' in patched)
      return { error: `could not parse KongPlugin ${own}/${name} config: ${patched.error}` };
    config = patched.config;
  }
  const written = withoutNulls(isObject(config) ? config : {});
  const reference = plugin.configFrom?.secretKeyRef;
  if (reference === undefined) return { config: written };
  if (Object.keys(written).length > 0) {
    const label = isCluster ? `KongClusterPlugin '/${name}'` : `KongPlugin '${own}/${name}'`;
    return { error: `${label} has both Config and ConfigFrom set` };
  }
  const namespace = isCluster ? (reference.namespace ?? '') : own;
  const fromSecret = configFromSecret(reader, namespace, reference.name, reference.key);
  if ('config' in fromSecret) return { config: withoutNulls(fromSecret.config) };
  const label = isCluster ? `KongClusterPlugin ${name}` : `KongPlugin '${name}/${own}'`;
  return { error: `error parsing config for ${label}: ${fromSecret.error}` };
}

function configFromSecret(
  reader: ObjectReader,
  namespace: string,
  name: string,
  key: string,
): ConfigResult {
  const value = secretValue(reader, namespace, name, key);
  if ('error' in value) {
    if (!value.isMissingSecret) return { error: value.error };
    return {
      error: `error fetching plugin configuration secret '${namespace}/${name}': ${value.error}`,
    };
  }
  const config = parseYamlObject(value.text);
  if (config !== undefined) return { config };
  return {
    error: `key '${key}' in secret '${namespace}/${name}' contains neither valid JSON nor valid YAML)`,
  };
}

function secretValue(
  reader: ObjectReader,
  namespace: string,
  name: string,
  key: string,
): { readonly text: string } | { readonly error: string; readonly isMissingSecret: boolean } {
  const secret = reader.get<Secret>('Secret', namespace, name);
  if (secret === undefined)
    return { error: `Secret ${namespace}/${name} not found`, isMissingSecret: true };
  const text = secretText(secret, key);
  if (text === undefined)
    return { error: `no key '${key}' in secret '${namespace}/${name}'`, isMissingSecret: false };
  return { text };
}

/** A JSON Patch `add` that makes the objects on its way; an empty path replaces everything. */
function patchedWith(
  config: unknown,
  pointer: string,
  text: string,
): { readonly config: unknown } | { readonly error: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { error: 'the value of the patch is not JSON' };
  }
  if (pointer === '') return { config: value };
  if (!pointer.startsWith('/')) return { error: `invalid JSON pointer ${JSON.stringify(pointer)}` };
  const keys = pointer
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  return addAt(config, keys, value, pointer);
}

function addAt(
  container: unknown,
  keys: readonly string[],
  value: unknown,
  pointer: string,
): { readonly config: unknown } | { readonly error: string } {
  const [key, ...rest] = keys;
  if (key === undefined) return { config: value };
  if (Array.isArray(container)) {
    const index = key === '-' ? container.length : Number(key);
    if (!Number.isInteger(index) || index < 0 || index > container.length)
      return { error: `there is no index ${key} for ${pointer}` };
    const inner =
      rest.length === 0 ? { config: value } : addAt(container[index], rest, value, pointer);
    if ('error' in inner) return inner;
    return { config: container.toSpliced(index, rest.length === 0 ? 0 : 1, inner.config) };
  }
  if (container !== undefined && container !== null && !isObject(container))
    return { error: `${pointer} leads through a value that is no object` };
  const record = isObject(container) ? container : {};
  const inner = addAt(Object.hasOwn(record, key) ? record[key] : undefined, rest, value, pointer);
  if ('error' in inner) return inner;
  const entries = Object.entries(record).filter(([name]) => name !== key);
  return { config: Object.fromEntries([...entries, [key, inner.config]]) };
}

function withoutNulls(config: PluginConfig): PluginConfig {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== null));
}
