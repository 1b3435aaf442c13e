import { isObject, setOwn } from '../json.ts';
import type { YamlNode } from './node.ts';
import { keyText, resolvedValue, resolvePlain, type ScalarOptions } from './value-scalar.ts';
import { YamlError } from './yaml-error.ts';

/** How nodes become values. */
export interface ValueOptions extends ScalarOptions {
  readonly duplicateKeys: 'error' | 'last';
  readonly unknownTags: 'error' | 'text';
  readonly maxAliasedNodes: number;
}

/** What values are made of: plain objects, or whatever a room has instead. */
export interface ValueShape<M> {
  create(): M;
  isMap(value: unknown): value is M;
  has(map: M, key: string): boolean;
  set(map: M, key: string, value: unknown): void;
  fields(map: M): Iterable<[string, unknown]>;
}

/** Plain objects, in which `__proto__` is a key like any other. */
export const objectShape: ValueShape<Record<string, unknown>> = {
  create: () => ({}),
  isMap: isObject,
  has: Object.hasOwn,
  set: setOwn,
  fields: Object.entries,
};

const maxDepth = 1000;

/**
 * Turns the nodes of YAML documents into JSON data.
 *
 * ```ts
 * const shape = {
 *   create: () => new Map<string, unknown>(),
 *   isMap: (value: unknown) => value instanceof Map,
 *   has: (map: Map<string, unknown>, key: string) => map.has(key),
 *   set: (map: Map<string, unknown>, key: string, value: unknown) => void map.set(key, value),
 *   fields: (map: Map<string, unknown>) => map.entries(),
 * };
 * const options = {
 *   booleans: 'words',
 *   integers: 'nearest',
 *   duplicateKeys: 'error',
 *   unknownTags: 'error',
 *   maxAliasedNodes: 1_000,
 * } as const;
 * const map = new NodeValues(options, shape).read(parseYamlNode('a: [1, yes]')!) as Map<string, unknown>;
 * map.get('a'); // [1, true]
 * ```
 */
export class NodeValues<M> {
  readonly #options: ValueOptions;
  readonly #shape: ValueShape<M>;
  /** Depth of aliases that we are in: nodes below one are counted. */
  #aliasDepth = 0;
  #aliasedNodes = 0;
  readonly #open = new Set<YamlNode>();

  constructor(options: ValueOptions, shape: ValueShape<M>) {
    this.#options = options;
    this.#shape = shape;
  }

  /** @throws YamlError */
  read(root: YamlNode): unknown {
    return this.#value(root, 0);
  }

  #value(node: YamlNode, depth: number): unknown {
    if (depth > maxDepth) throw problem(node, `nested deeper than ${maxDepth}`);
    if (this.#aliasDepth > 0 && ++this.#aliasedNodes > this.#options.maxAliasedNodes) {
      throw problem(node, 'document contains excessive aliasing');
    }
    switch (node.kind) {
      case 'scalar':
        return this.#scalar(node);
      case 'sequence':
        return node.content.map((item) => this.#value(item, depth + 1));
      case 'map':
        return this.#mapping(node, depth);
      case 'alias':
        return this.#aliased(node, node.target!, depth);
    }
  }

  #aliased(alias: YamlNode, target: YamlNode, depth: number): unknown {
    if (this.#open.has(target)) {
      throw problem(alias, `anchor '${alias.value}' value contains itself`);
    }
    this.#open.add(target);
    this.#aliasDepth++;
    const value = this.#value(target, depth + 1);
    this.#aliasDepth--;
    this.#open.delete(target);
    return value;
  }

  /** The mapping's own fields win over merged ones; of those the first one. */
  #mapping(map: YamlNode, depth: number): M {
    const { content } = map;
    const shape = this.#shape;
    const result = shape.create();
    const merged: M[] = [];
    for (let at = 0; at < content.length; at += 2) {
      const keyNode = content[at]!;
      const valueNode = content[at + 1]!;
      if (isMergeKey(keyNode)) {
        merged.push(...this.#merged(valueNode, depth));
        continue;
      }
      const key = keyText(this.#value(keyNode, depth + 1));
      if (key === undefined) {
        throw problem(keyNode, 'a key must be a string, a number or a boolean');
      }
      if (this.#options.duplicateKeys === 'error' && shape.has(result, key)) {
        throw problem(keyNode, `the key "${key.slice(0, 200)}" is already set in this mapping`);
      }
      shape.set(result, key, this.#value(valueNode, depth + 1));
    }
    for (const source of merged) {
      for (const [key, value] of shape.fields(source)) {
        if (!shape.has(result, key)) shape.set(result, key, value);
      }
    }
    return result;
  }

  #merged(node: YamlNode, depth: number): M[] {
    const value = this.#value(node, depth + 1);
    const sources = Array.isArray(value) ? value : [value];
    if (!sources.every(this.#shape.isMap)) {
      throw problem(node, 'map merge requires map or sequence of maps as the value');
    }
    return sources;
  }

  #scalar(node: YamlNode): unknown {
    const { value: text, tag } = node;
    if (!node.isTagged) return node.style === 'plain' ? this.#resolved(node) : text;
    switch (tag) {
      case '!!str':
        return text;
      case '!!binary':
        return Buffer.from(text, 'base64').toString('utf8');
      case '!!float': {
        const value = this.#resolved(node);
        if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
        break;
      }
      case '!!int':
      case '!!bool':
      case '!!null':
      case '!!timestamp':
        if (resolvePlain(text, this.#options).tag === tag) return this.#resolved(node);
        break;
      default:
        if (this.#options.unknownTags === 'text') return text;
        throw problem(node, `unknown tag "${tag.slice(0, 80)}"`);
    }
    throw problem(node, `cannot read "${text.slice(0, 80)}" as ${tag}`);
  }

  #resolved(node: YamlNode): unknown {
    const resolved = resolvePlain(node.value, this.#options);
    const value = resolvedValue(resolved, this.#options, node.value);
    if (value === undefined) throw problem(node, `${node.value} has no form in JSON`);
    return value;
  }
}

function isMergeKey(key: YamlNode): boolean {
  return key.kind === 'scalar' && key.value === '<<' && key.style === 'plain' && !key.isTagged;
}

function problem(node: YamlNode, message: string): YamlError {
  return new YamlError('composer', message, { index: 0, line: node.line, column: 0 });
}
