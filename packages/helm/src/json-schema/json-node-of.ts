import type { JsonNode } from './json-node.ts';
import { JsonNumber } from './json-number.ts';

/** Plain data as a document: numbers and bigints become what JSON writes for them. */
export function jsonNodeOf(value: unknown): JsonNode {
  if (value === null || value === undefined) return null;
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'object':
      break;
    default:
      return new JsonNumber(String(value));
  }
  if (Array.isArray(value)) return value.map(jsonNodeOf);
  return new Map(Object.entries(value).map(([key, each]) => [key, jsonNodeOf(each)]));
}
