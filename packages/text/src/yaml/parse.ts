import { TextError } from '../error.ts';
import { decodeJson } from '../json.ts';
import { isOutOfStack } from '../out-of-stack.ts';
import { NodeValues, objectShape, type ValueOptions } from './node-value.ts';
import { parseDocuments } from './parser.ts';
import { parseAllQuickly } from './quick-parser.ts';
import { ValueBuilder } from './value-builder.ts';
import type { ScalarOptions } from './value-scalar.ts';
import { YamlError } from './yaml-error.ts';

/** How YAML is read. */
export interface YamlOptions {
  /** Which words are booleans: those of YAML 1.1, `yes` and `y` among them, or fewer. Default `words`. */
  readonly booleans?: ScalarOptions['booleans'] | undefined;
  /** What an integer beyond 2^53 is: a `bigint`, or the nearest number. Default `exact`. */
  readonly integers?: 'exact' | 'nearest' | undefined;
  /** What a key that stands twice in one mapping is. Default `error`. */
  readonly duplicateKeys?: 'error' | 'last' | undefined;
  /** What a scalar with a tag that nobody knows is: Go's reader takes its text. Default `error`. */
  readonly unknownTags?: 'error' | 'text' | undefined;
  /** Nodes that aliases may add in sum, against texts that unfold to gigabytes. Default 100,000. */
  readonly maxAliasedNodes?: number | undefined;
  /** Default 64 MiB. */
  readonly maxBytes?: number | undefined;
  /** The name of the text in messages, such as a file. */
  readonly name?: string | undefined;
}

/** One document of a YAML stream. */
export interface YamlDocument {
  readonly value: unknown;
  /** The line, from 1, on which the document's content starts. */
  readonly line: number;
}

/**
 * All documents of a text, read as Kubernetes' tools read them: YAML 1.1 scalars, JSON data out,
 * integers beyond 2^53 as `bigint`, empty documents left out.
 *
 * ```ts
 * parseYamlDocuments('kind: A\n---\nkind: B\n').map((one) => one.value);
 * ```
 *
 * @throws TextError `WG_TEXT_YAML`, with `line`
 */
export function parseYamlDocuments(text: string, options: YamlOptions = {}): YamlDocument[] {
  return readDocuments(text, options, 'all');
}

/**
 * The values of all documents.
 *
 * ```ts
 * parseYamlAll('a: 1\n---\nb: 2\n'); // [{ a: 1 }, { b: 2 }]
 * ```
 */
export function parseYamlAll(text: string, options?: YamlOptions): unknown[] {
  return parseYamlDocuments(text, options).map((document) => document.value);
}

/**
 * The one document of a text; null when there is none.
 *
 * ```ts
 * parseYaml('{on: yes, mode: 0644}'); // { true: true, mode: 420 }
 * ```
 *
 * @throws TextError when there are several
 */
export function parseYaml(text: string, options: YamlOptions = {}): unknown {
  const documents = parseYamlDocuments(text, options);
  if (documents.length > 1) {
    throw problemAt(documents[1]?.line ?? 1, 'a second document, where one was expected', options);
  }
  return documents[0]?.value ?? null;
}

/**
 * The first document of a text, whatever follows it: so Go's programs read that know of one only. Null when
 * there is none.
 *
 * ```ts
 * parseFirstYaml('a: 1\n---\nb: 2\n'); // { a: 1 }
 * ```
 */
export function parseFirstYaml(text: string, options: YamlOptions = {}): unknown {
  return readDocuments(text, options, 'first')[0]?.value ?? null;
}

function readDocuments(text: string, given: YamlOptions, which: 'first' | 'all'): YamlDocument[] {
  const maxBytes = given.maxBytes ?? 64 * 1024 * 1024;
  if (text.length > maxBytes) {
    throw new TextError('WG_TEXT_YAML', `${prefix(given)}larger than ${maxBytes} bytes`);
  }
  const options: ValueOptions = {
    booleans: given.booleans ?? 'words',
    integers: given.integers ?? 'exact',
    duplicateKeys: given.duplicateKeys ?? 'error',
    unknownTags: given.unknownTags ?? 'error',
    maxAliasedNodes: given.maxAliasedNodes ?? 100_000,
  };
  const json = parseAsJson(text, options);
  if (json !== undefined) return json;
  try {
    return readQuickly(text, options, which) ?? readFully(text, options, which);
  } catch (error) {
    if (error instanceof YamlError) throw problemAt(error.line ?? 1, error.problem, given, error);
    if (!isOutOfStack(error)) throw error;
    throw new TextError('WG_TEXT_YAML', `${prefix(given)}nested too deeply`, { cause: error });
  }
}

/** The fast path: undefined for what is not of the plain sort, right or wrong. */
export function readQuickly(
  text: string,
  options: ValueOptions,
  which: 'first' | 'all',
): YamlDocument[] | undefined {
  const documents = parseAllQuickly(text, new ValueBuilder(options), which);
  return documents?.map(({ root, line }) => ({ value: root, line: line + 1 }));
}

/** The whole reader, for texts of any sort. */
export function readFully(
  text: string,
  options: ValueOptions,
  which: 'first' | 'all',
): YamlDocument[] {
  const reader = new NodeValues(options, objectShape);
  return parseDocuments(text, which)
    .map((root) => ({ value: reader.read(root), line: root.line + 1 }))
    .filter(({ value }) => value !== null);
}

function prefix(options: YamlOptions): string {
  return options.name === undefined ? '' : `${options.name}: `;
}

function problemAt(
  line: number,
  message: string,
  options: YamlOptions,
  cause?: unknown,
): TextError {
  const place = options.name === undefined ? `line ${line}` : `${options.name}:${line}`;
  return new TextError('WG_TEXT_YAML', `${place}: ${message}`, { line, cause });
}

/** JSON is YAML, but JSON.parse is much the faster reader; what it does not take, YAML may. */
function parseAsJson(text: string, options: ValueOptions): YamlDocument[] | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  if (options.duplicateKeys === 'error' && hasRepeatedKeys(text)) return undefined;
  try {
    const line = (/^\s*/.exec(text)?.[0] ?? '').split('\n').length;
    const value = options.integers === 'exact' ? decodeJson(text) : JSON.parse(text);
    return [{ value, line }];
  } catch {
    return undefined;
  }
}

/** JSON.parse keeps the last of two equal keys without a word; the YAML reader tells the line. */
function hasRepeatedKeys(text: string): boolean {
  try {
    let pairs = 0;
    const count = (part: unknown): number => {
      let total = 0;
      if (typeof part !== 'object' || part === null) return 0;
      for (const item of Object.values(part)) total += count(item);
      return total + (Array.isArray(part) ? 0 : Object.keys(part).length);
    };
    // What is no JSON is found out first: a string that nothing closes would be looked for from each quote.
    const value: unknown = JSON.parse(text);
    for (const [, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)) {
      if (colon !== undefined) pairs++;
    }
    return count(value) !== pairs;
  } catch {
    return true;
  }
}
