import { goJson, printYaml } from '@waygate/text';
import type { DeclarativeConfig } from '../entity/declarative-config.ts';
import type { JsonObject } from '../entity/entities.ts';

/** Inside of these all numbers are floats to Go. */
const floatsBelow = ['config', '_plugin_configs'];

/**
 * A configuration as YAML text, byte for byte as decK writes it: with its keys in the order of the
 * alphabet, but for files in the format 1.1, which have the order of the decK of their time.
 *
 * ```ts
 * writeDeckYaml({ _format_version: '3.0', services: [{ host: 'shop' }] }); // '_format_version: "3.0"\nservices:\n- host: shop\n'
 * ```
 */
export function writeDeckYaml(config: DeclarativeConfig | JsonObject): string {
  const isOld = config._format_version === '1.1';
  return printYaml(config, { keys: isOld ? 'given' : 'sorted', floatsBelow });
}

/**
 * A configuration as JSON text, indented and escaped as decK does.
 *
 * ```ts
 * writeJson({ _format_version: '3.0' }); // '{\n  "_format_version": "3.0"\n}'
 * ```
 */
export function writeJson(config: DeclarativeConfig | JsonObject): string {
  return goJson(config, { indent: 2 });
}
