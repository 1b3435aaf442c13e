import type { JsonObject, JsonValue } from '@waygate/text';
import type { CliContext } from './context.ts';

/**
 * Says of each plugin in a configuration that our own gateway cannot run that it cannot. Nothing is wrong with it: a
 * real Kong may take it, so that no verb fails for it.
 */
export async function sayUnrunnable(
  names: ReadonlySet<string>,
  context: Pick<CliContext, 'stderr'>,
): Promise<void> {
  if (names.size === 0) return;
  // The room of the gateway is large, and few configurations that are judged are without a plugin of it.
  const { unrunnablePlugins } = await import('@waygate/gateway');
  for (const name of unrunnablePlugins()) {
    if (names.has(name))
      context.stderr.write(
        `note: Waygate's own gateway cannot run the plugin '${name}' and refuses it; a Kong that has it can\n`,
      );
  }
}

/** The names of the plugins in a declarative configuration that are on, wherever they stand. */
export function pluginNamesIn(
  value: JsonValue | undefined,
  found = new Set<string>(),
): Set<string> {
  if (Array.isArray(value)) for (const item of value) pluginNamesIn(item, found);
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value as JsonObject)) {
      if (key === 'plugins' && Array.isArray(item))
        for (const plugin of item) {
          const { name, enabled } = (plugin ?? {}) as JsonObject;
          if (typeof name === 'string' && enabled !== false) found.add(name);
        }
      else if (key !== 'config') pluginNamesIn(item, found);
    }
  return found;
}
