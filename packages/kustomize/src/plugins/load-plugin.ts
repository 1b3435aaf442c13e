import { KustomizeError, wrap } from '../kustomize-error.ts';
import type { Resource } from '../resource.ts';
import { gvkString, idString } from '../resource-id.ts';
import type { Transformer } from '../transformers/transformer.ts';
import { builtinGenerators } from './builtin-generators.ts';
import { builtinTransformers } from './builtin-transformers.ts';
import { execPlugin } from './exec-plugin.ts';
import { functionPlugin, functionText } from './function-plugin.ts';
import type { Generator, PluginContext } from './plugin-context.ts';

/** Makes the transformer that a configuration object describes. */
export function loadTransformer(config: Resource, context: PluginContext): Transformer {
  return configure(config, context, builtinTransformers, builtinGenerators, 'a transformer');
}

/** Makes the generator that a configuration object describes. */
export function loadGenerator(config: Resource, context: PluginContext): Generator {
  return configure(config, context, builtinGenerators, builtinTransformers, 'a generator');
}

function configure<T>(
  config: Resource,
  context: PluginContext,
  table: Readonly<Record<string, (config: Resource, context: PluginContext) => T>>,
  others: Readonly<Record<string, unknown>>,
  role: string,
): T | (Generator & Transformer) {
  const { kind } = config;
  if (config.apiVersion !== 'builtin' && context.programs !== undefined) {
    const text = functionText(config);
    return text === undefined ? execPlugin(config, context) : functionPlugin(config, text, context);
  }
  if (config.apiVersion !== 'builtin') {
    throw new KustomizeError(
      `external plugins disabled; unable to load external plugin '${kind}'`,
      { code: 'WG_KUSTOMIZE_PLUGIN_REFUSED', file: config.file, line: config.line },
    );
  }
  const make = Object.hasOwn(table, kind) ? table[kind] : undefined;
  if (make === undefined) {
    const message = Object.hasOwn(others, kind)
      ? `${role === 'a generator' ? 'failed to load generator: ' : ''}plugin ${idString(config.originalId)} not ${role}`
      : `unable to load builtin ${gvkString(config.id)}`;
    throw new KustomizeError(message, { file: config.file, line: config.line });
  }
  try {
    return make(config, context);
  } catch (error) {
    throw wrap(error, `plugin ${idString(config.originalId)} fails configuration`);
  }
}
