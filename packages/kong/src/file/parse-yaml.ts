import { parseFirstYaml, TextError, YamlError } from '@waygate/text';
import type { JsonValue } from '../entity/entities.ts';

export type ParsedYaml =
  | { readonly isValid: true; readonly value: JsonValue }
  | { readonly isValid: false; readonly message: string };

/**
 * Reads the first document of a text as YAML 1.1, in which `yes` and `on` are booleans: declarative
 * files have always been read so. JSON is YAML. What is wrong is said in the words that people know from decK.
 *
 * ```ts
 * parseDeckYaml('a: [\n'); // { isValid: false, message: 'yaml: line 1: did not find expected node content' }
 * ```
 */
export function parseDeckYaml(text: string): ParsedYaml {
  try {
    const value = parseFirstYaml(text, {
      duplicateKeys: 'last',
      unknownTags: 'text',
      integers: 'nearest',
      maxBytes: Number.POSITIVE_INFINITY,
    });
    return { isValid: true, value: value as JsonValue };
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    const { cause } = error;
    const message = cause instanceof YamlError ? cause.legacyMessage : `yaml: ${error.message}`;
    return { isValid: false, message };
  }
}
