import { parseFirstYaml, TextError, YamlError, type YamlOptions } from '@waygate/text';
import type { JsonValue } from '../entity/entities.ts';

export type ParsedYaml =
  | { readonly isValid: true; readonly value: JsonValue }
  | { readonly isValid: false; readonly message: string };

/**
 * Reads the first document of a text as decK does: YAML 1.1, in which `yes` and `on` are booleans, as declarative
 * files have always been. JSON is YAML. What is wrong is said in the words that people know from decK.
 *
 * ```ts
 * parseDeckYaml('a: [\n'); // { isValid: false, message: 'yaml: line 1: did not find expected node content' }
 * ```
 */
export function parseDeckYaml(text: string): ParsedYaml {
  return parse(text, 'words', (error) => error.legacyMessage);
}

/**
 * Reads the same as Kong itself does, to which `y` is but a letter, and which names the place before a mistake.
 *
 * ```ts
 * parseKongYaml('a: [b'); // { isValid: false, message: "1:5: did not find expected ',' or ']'" }
 * ```
 */
export function parseKongYaml(text: string): ParsedYaml {
  return parse(text, 'long-words', ({ after, problem, problemLine }) => {
    const { line, column } = after ?? { line: problemLine, column: 0 };
    return `${line + 1}:${column + 1}: ${problem}`;
  });
}

function parse(
  text: string,
  booleans: YamlOptions['booleans'],
  wordsOf: (error: YamlError) => string,
): ParsedYaml {
  try {
    const value = parseFirstYaml(text, {
      booleans,
      duplicateKeys: 'last',
      unknownTags: 'text',
      integers: 'nearest',
      maxBytes: Number.POSITIVE_INFINITY,
    });
    return { isValid: true, value: value as JsonValue };
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    const { cause, message } = error;
    const words = cause instanceof YamlError ? wordsOf(cause) : `yaml: ${message}`;
    return { isValid: false, message: words };
  }
}
