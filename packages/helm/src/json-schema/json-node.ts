import { JsonNumber } from './json-number.ts';

/** A JSON document, of a schema or of what it is to describe. */
export type JsonNode =
  | null
  | boolean
  | string
  | JsonNumber
  | readonly JsonNode[]
  | ReadonlyMap<string, JsonNode>;

export type JsonMap = ReadonlyMap<string, JsonNode>;

type JsonType = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

export function jsonTypeOf(node: JsonNode): JsonType {
  if (node === null) return 'null';
  if (typeof node === 'boolean') return 'boolean';
  if (typeof node === 'string') return 'string';
  if (node instanceof JsonNumber) return 'number';
  return Array.isArray(node) ? 'array' : 'object';
}

export function isJsonMap(node: JsonNode | undefined): node is JsonMap {
  return node instanceof Map;
}

export function isJsonList(node: JsonNode | undefined): node is readonly JsonNode[] {
  return Array.isArray(node);
}

/** Equal as JSON: numbers by their value, objects without regard to order. */
export function equalNodes(left: JsonNode, right: JsonNode): boolean {
  if (left instanceof JsonNumber) return right instanceof JsonNumber && left.compare(right) === 0;
  if (isJsonList(left)) {
    if (!isJsonList(right) || left.length !== right.length) return false;
    return left.every((item, index) => equalNodes(item, right[index]!));
  }
  if (isJsonMap(left)) {
    if (!isJsonMap(right) || left.size !== right.size) return false;
    for (const [key, value] of left) {
      const other = right.get(key);
      if (other === undefined || !equalNodes(value, other)) return false;
    }
    return true;
  }
  return left === right;
}

/** A text that equal nodes share, so that a list can be searched for twins in one pass. */
export function canonicalText(node: JsonNode): string {
  if (node instanceof JsonNumber) return `n${node.float}`;
  if (isJsonList(node)) return `[${node.map(canonicalText).join(',')}]`;
  if (isJsonMap(node)) {
    const keys = [...node.keys()].sort();
    return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalText(node.get(key)!)}`).join(',')}}`;
  }
  return JSON.stringify(node);
}
