import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import type { TextError } from '../error.ts';
import { isObject, setOwn } from '../json.ts';
import { formatFloat } from './number.ts';
import { resolveScalar } from './scalar.ts';

export interface NodeReaderOptions {
  readonly lineOf: (offset: number) => number;
  readonly duplicateKeys: 'error' | 'last';
  readonly unknownTags: 'error' | 'text';
  readonly maxAliasedNodes: number;
  readonly problemAt: (line: number, message: string) => TextError;
}

const MAX_DEPTH = 1000;
const MAX_UINT64 = (1n << 64n) - 1n;
const MIN_INT64 = -(1n << 63n);

/** Turns the nodes of a YAML document into JSON data. */
export class NodeReader {
  readonly #options: NodeReaderOptions;
  #document: Document.Parsed | undefined;
  /** Depth of aliases that we are in: nodes below one are counted. */
  #aliasDepth = 0;
  #aliasedNodes = 0;
  /** Where each alias leads: finding it takes a walk through the whole document. */
  readonly #targets = new Map<Alias, unknown>();

  constructor(options: NodeReaderOptions) {
    this.#options = options;
  }

  read(document: Document.Parsed): unknown {
    this.#document = document;
    return this.#value(document.contents, 0, 1);
  }

  #value(node: unknown, depth: number, line: number): unknown {
    if (depth > MAX_DEPTH) throw this.#problem(line, `nested deeper than ${MAX_DEPTH}`);
    if (this.#aliasDepth > 0 && ++this.#aliasedNodes > this.#options.maxAliasedNodes) {
      throw this.#problem(line, 'the document has excessive aliasing');
    }
    if (node === null || node === undefined) return null;
    const at = this.#lineOf(node, line);
    if (isScalar(node)) return this.#scalar(node, at);
    if (isMap(node)) return this.#mapping(node, depth, at);
    if (isSeq(node)) return node.items.map((item) => this.#value(item, depth + 1, at));
    if (isAlias(node)) {
      const target = this.#targets.get(node) ?? node.resolve(this.#document as Document.Parsed);
      if (target === undefined) throw this.#problem(at, `unknown anchor "${node.source}"`);
      this.#targets.set(node, target);
      this.#aliasDepth++;
      const value = this.#value(target, depth + 1, at);
      this.#aliasDepth--;
      return value;
    }
    throw this.#problem(at, 'unknown kind of node');
  }

  #mapping(map: YAMLMap, depth: number, line: number): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    const merged: Record<string, unknown>[] = [];
    for (const pair of map.items) {
      const at = this.#lineOf(pair.key, line);
      if (isMergeKey(pair.key)) {
        merged.push(...this.#merged(pair.value, depth, at));
        continue;
      }
      const key = this.#key(pair.key, depth, at);
      if (Object.hasOwn(result, key) && this.#options.duplicateKeys === 'error') {
        throw this.#problem(at, `the key "${key.slice(0, 200)}" is already set in this mapping`);
      }
      setOwn(result, key, this.#value(pair.value, depth + 1, at));
    }
    for (const source of merged) {
      for (const key of Object.keys(source)) {
        if (!Object.hasOwn(result, key)) setOwn(result, key, source[key]);
      }
    }
    return result;
  }

  #merged(node: unknown, depth: number, line: number): Record<string, unknown>[] {
    const value = this.#value(node, depth + 1, line);
    const sources = Array.isArray(value) ? value : [value];
    if (!sources.every(isObject)) {
      throw this.#problem(line, '"<<" needs a mapping or a list of mappings');
    }
    return sources;
  }

  #key(node: unknown, depth: number, line: number): string {
    const value = this.#value(node, depth + 1, line);
    switch (typeof value) {
      case 'string':
        return value;
      case 'number':
        return formatFloat(value);
      case 'bigint':
      case 'boolean':
        return String(value);
      default:
        throw this.#problem(line, 'a key must be a string, a number or a boolean');
    }
  }

  #scalar(node: Scalar, line: number): unknown {
    const source = node.source ?? '';
    const tag = node.tag?.replace(/^tag:yaml\.org,2002:/, '!!');
    if (node.type !== 'PLAIN' && (tag === undefined || tag === '!!str')) return source;
    switch (tag) {
      case undefined:
        return this.#resolved(source, line);
      case '!!str':
      case '!':
        return source;
      case '!!binary':
        return Buffer.from(source, 'base64').toString('utf8');
      case '!!float': {
        const value = this.#resolved(source, line);
        if (typeof value === 'number') return value;
        if (typeof value === 'bigint') return Number(value);
        break;
      }
      case '!!int':
      case '!!bool':
      case '!!null':
      case '!!timestamp': {
        const type = resolveScalar(source).type;
        if (`!!${type}` === tag) return this.#resolved(source, line);
        break;
      }
      default:
        if (this.#options.unknownTags === 'text') return source;
        throw this.#problem(line, `unknown tag "${tag.slice(0, 80)}"`);
    }
    throw this.#problem(line, `cannot read "${source.slice(0, 80)}" as ${tag}`);
  }

  #resolved(source: string, line: number): unknown {
    const scalar = resolveScalar(source);
    switch (scalar.type) {
      case 'null':
        return null;
      case 'bool':
        return scalar.value;
      case 'int': {
        const number = Number(scalar.value);
        if (Number.isSafeInteger(number)) return number;
        return scalar.value > MAX_UINT64 || scalar.value < MIN_INT64 ? number : scalar.value;
      }
      case 'float':
        if (!Number.isFinite(scalar.value)) {
          throw this.#problem(line, `${source} has no form in JSON`);
        }
        return scalar.value;
      default:
        return source;
    }
  }

  #lineOf(node: unknown, fallback: number): number {
    const range = (node as { range?: readonly number[] | null } | null)?.range;
    return range?.[0] === undefined ? fallback : this.#options.lineOf(range[0]);
  }

  #problem(line: number, message: string): TextError {
    return this.#options.problemAt(line, message);
  }
}

function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.type === 'PLAIN' && key.source === '<<' && key.tag === undefined;
}
