import { isJsonList, isJsonMap, type JsonNode } from './json-node.ts';
import type { Schema } from './schema.ts';

/** What of a list or an object no schema has looked at yet: `unevaluated…` is about that. */
export class Unevaluated {
  readonly properties: Set<string>;
  readonly items: Set<number>;

  constructor(node: JsonNode, schema: Schema, isAskedFor: boolean) {
    this.properties = new Set(leftProperties(node, schema, isAskedFor));
    this.items = new Set(leftItems(node, schema, isAskedFor));
  }

  get size(): number {
    return this.properties.size + this.items.size;
  }

  get isEmpty(): boolean {
    return this.size === 0;
  }

  /** Another schema that fits has looked at the same value. */
  merge(other: Unevaluated): void {
    for (const name of this.properties) {
      if (!other.properties.has(name)) this.properties.delete(name);
    }
    for (const index of this.items) if (!other.items.has(index)) this.items.delete(index);
  }
}

function leftProperties(node: JsonNode, schema: Schema, isAskedFor: boolean): Iterable<string> {
  if (!isJsonMap(node) || schema.isAllPropertiesEvaluated) return [];
  return isAskedFor || schema.unevaluatedProperties !== undefined ? node.keys() : [];
}

function* leftItems(node: JsonNode, schema: Schema, isAskedFor: boolean): Iterable<number> {
  if (!isJsonList(node) || schema.isAllItemsEvaluated) return;
  if (!isAskedFor && schema.unevaluatedItems === undefined) return;
  for (let index = schema.evaluatedItems; index < node.length; index++) yield index;
}
