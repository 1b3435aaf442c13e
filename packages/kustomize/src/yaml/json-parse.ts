import { parseYamlNode } from '@waygate/text';
import { KustomizeError } from '../kustomize-error.ts';
import { type JsonValue, toJson } from './json-value.ts';

/**
 * Parses JSON without losing digits of large integers. The language's own parser decides what is
 * JSON; the YAML one, of which JSON is a part, then keeps the numbers whole.
 */
export function parseJson(text: string): JsonValue {
  try {
    JSON.parse(text);
  } catch (error) {
    throw new KustomizeError(`invalid JSON: ${(error as Error).message}`, { cause: error });
  }
  const node = parseYamlNode(text);
  return node === undefined ? null : toJson(node);
}
