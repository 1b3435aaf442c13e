import { goJson, printYaml } from '@waygate/text';
import type { DeclarativeConfig } from '../entity/declarative-config.ts';
import type { JsonObject } from '../entity/entities.ts';

/** Inside of these all numbers are floats to Go. */
const floatsBelow = ['config', '_plugin_configs'];

/**
 * A configuration as YAML text, byte for byte as decK writes it.
 *
 * ```ts
 * writeDeckYaml({ _format_version: '3.0', services: [{ host: 'shop' }] }); // '_format_version: "3.0"\nservices:\n- host: shop\n'
 * ```
 */
export function writeDeckYaml(config: DeclarativeConfig | JsonObject): string {
  return printYaml(config, { keys: 'given', floatsBelow });
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
