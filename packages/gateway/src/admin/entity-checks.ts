import type { EntityStoreOptions, RouterFlavor } from '@waygate/kong';
import type { PluginDefinition } from '../plugin/plugin.ts';
import { patternCheck } from './pattern-check.ts';
import { pluginCheck } from './plugin-check.ts';
import { runnableCheck } from './runnable-check.ts';
import { checkTemplates } from './template-check.ts';

/** What is wrong with an entity that its schema accepts. */
export type EntityCheck = NonNullable<EntityStoreOptions['checkEntity']>;

/** What this gateway looks at besides the schema: when an entity is written, and when it is there already. */
export function entityChecks(
  flavor: RouterFlavor,
  plugins: ReadonlyMap<string, PluginDefinition<unknown>>,
  takesUnrunnable = false,
): { readonly written: EntityCheck; readonly loaded: EntityCheck } {
  const checkPatterns = patternCheck(flavor);
  const checkPlugin = pluginCheck(plugins);
  const checkScoped = runnableCheck(plugins, 'scoped');
  const checkRunnable = takesUnrunnable ? checkScoped : runnableCheck(plugins, 'nowhere');
  const checkAll: EntityCheck = (name, entity) =>
    checkPatterns(name, entity) ?? checkTemplates(name, entity) ?? checkPlugin(name, entity);
  return {
    written: (name, entity) => checkAll(name, entity) ?? checkRunnable(name, entity),
    loaded: (name, entity) => checkAll(name, entity) ?? checkScoped(name, entity),
  };
}
