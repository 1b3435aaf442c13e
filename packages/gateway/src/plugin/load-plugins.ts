import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { GatewayError } from '../gateway-error.ts';
import type { AnyPlugin } from './plugin.ts';

/**
 * Loads plugins from modules: every export that is one, or a list of them.
 *
 * ```ts
 * new Gateway({ plugins: await loadPlugins(['my-kong-plugins']) });
 * ```
 */
export async function loadPlugins(modules: readonly string[]): Promise<readonly AnyPlugin[]> {
  const plugins: AnyPlugin[] = [];
  for (const name of modules) {
    const url = isAbsolute(name) ? pathToFileURL(name).href : name;
    let exported: Record<string, unknown>;
    try {
      exported = (await import(url)) as Record<string, unknown>;
    } catch (cause) {
      throw new GatewayError('WG_GATEWAY_OPTION', `the plugin module ${name} cannot be loaded`, {
        cause,
      });
    }
    const found = new Set(Object.values(exported).flat().filter(isPlugin));
    if (found.size === 0) {
      throw new GatewayError('WG_GATEWAY_OPTION', `the module ${name} exports no plugin`);
    }
    plugins.push(...found);
  }
  return plugins;
}

function isPlugin(value: unknown): value is AnyPlugin {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    typeof value.name === 'string' &&
    'priority' in value &&
    typeof value.priority === 'number'
  );
}
