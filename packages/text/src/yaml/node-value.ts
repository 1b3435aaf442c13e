import { isObject, setOwn } from '../json.ts';
import type { YamlNode } from './node.ts';
import { keyText, resolvedValue, resolvePlain, type ScalarOptions } from './value-scalar.ts';

/** How nodes become values. */
export interface ValueOptions extends ScalarOptions {
  readonly duplicateKeys: 'error' | 'last';
  readonly unknownTags: 'error' | 'text';
  readonly maxAliasedNodes: number;
}

/** What cannot be a value. The line counts from zero. */
export class ValueProblem extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

const MAX_DEPTH = 1000;

/** Turns the nodes of YAML documents into JSON data. */
export class NodeValues {
  readonly #options: ValueOptions;
  /** Depth of aliases that we are in: nodes below one are counted. */
  #aliasDepth = 0;
  #aliasedNodes = 0;

  constructor(options: ValueOptions) {
    this.#options = options;
  }

  /** @throws ValueProblem */
  read(root: YamlNode): unknown {
    return this.#value(root, 0);
  }

  #value(node: YamlNode, depth: number): unknown {
    if (depth > MAX_DEPTH) throw problem(node, `nested deeper than ${MAX_DEPTH}`);
    if (this.#aliasDepth > 0 && ++this.#aliasedNodes > this.#options.maxAliasedNodes) {
      throw problem(node, 'the document has excessive aliasing');
    }
    switch (node.kind) {
      case 'scalar':
        return this.#scalar(node);
      case 'sequence':
        return node.content.map((item) => this.#value(item, depth + 1));
      case 'map':
        return this.#mapping(node, depth);
      case 'alias': {
        this.#aliasDepth++;
        const value = this.#value(node.target!, depth + 1);
        this.#aliasDepth--;
        return value;
      }
    }
  }

  /** The mapping's own fields win over merged ones; of those the first one. */
  #mapping(map: YamlNode, depth: number): Record<string, unknown> {
    const { content } = map;
    const result: Record<string, unknown> = {};
    const merged: Record<string, unknown>[] = [];
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
      if (this.#options.duplicateKeys === 'error' && Object.hasOwn(result, key)) {
        throw problem(keyNode, `the key "${key.slice(0, 200)}" is already set in this mapping`);
      }
      setOwn(result, key, this.#value(valueNode, depth + 1));
    }
    for (const source of merged) {
      for (const key of Object.keys(source)) {
        if (!Object.hasOwn(result, key)) setOwn(result, key, source[key]);
      }
    }
    return result;
  }

  #merged(node: YamlNode, depth: number): Record<string, unknown>[] {
    const value = this.#value(node, depth + 1);
    const sources = Array.isArray(value) ? value : [value];
    if (!sources.every(isObject)) {
      throw problem(node, '"<<" needs a mapping or a list of mappings');
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

function problem(node: YamlNode, message: string): ValueProblem {
  return new ValueProblem(node.line, message);
}
