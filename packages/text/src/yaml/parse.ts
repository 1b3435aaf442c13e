import { LineCounter, parseAllDocuments } from 'yaml';
import { TextError } from '../error.ts';
import { decodeJson } from '../json.ts';
import { isNestedTooDeeply } from './nesting.ts';
import { NodeReader } from './node-reader.ts';

/** How YAML is read. */
export interface YamlOptions {
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
  const maxBytes = options.maxBytes ?? 64 * 1024 * 1024;
  if (text.length > maxBytes) {
    throw new TextError('WG_TEXT_YAML', `${prefix(options)}larger than ${maxBytes} bytes`);
  }
  const json = parseAsJson(text);
  if (json !== undefined) return json;
  if (isNestedTooDeeply(text)) {
    throw new TextError('WG_TEXT_YAML', `${prefix(options)}nested too deeply`);
  }
  try {
    return parseDocuments(text, options);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new TextError('WG_TEXT_YAML', `${prefix(options)}nested too deeply`, {
      cause: error,
    });
  }
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

function prefix(options: YamlOptions): string {
  return options.name === undefined ? '' : `${options.name}: `;
}

function problemAt(line: number, message: string, options: YamlOptions): TextError {
  const place = options.name === undefined ? `line ${line}` : `${options.name}:${line}`;
  return new TextError('WG_TEXT_YAML', `${place}: ${message}`, { line });
}

/** JSON is YAML, but JSON.parse is much the faster reader; what it does not take, YAML may. */
function parseAsJson(text: string): YamlDocument[] | undefined {
  if (!/^\s*\{/.test(text) || hasRepeatedKeys(text)) return undefined;
  try {
    const line = (/^\s*/.exec(text)?.[0] ?? '').split('\n').length;
    return [{ value: decodeJson(text), line }];
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

function parseDocuments(text: string, options: YamlOptions): YamlDocument[] {
  const lines = new LineCounter();
  const lineOf = (offset: number) => lines.linePos(offset).line;
  const parsed = parseAllDocuments(text, {
    lineCounter: lines,
    // Scalars stay text here; the reader below gives them YAML 1.1's meaning.
    schema: 'failsafe',
    version: '1.1',
    merge: false,
    uniqueKeys: false,
    strict: true,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const documents: YamlDocument[] = [];
  if (!Array.isArray(parsed)) return documents;
  const reader = new NodeReader({
    lineOf,
    duplicateKeys: options.duplicateKeys ?? 'error',
    unknownTags: options.unknownTags ?? 'error',
    maxAliasedNodes: options.maxAliasedNodes ?? 100_000,
    problemAt: (line, message) => problemAt(line, message, options),
  });
  for (const document of parsed) {
    const error = document.errors[0];
    if (error !== undefined) {
      throw problemAt(lineOf(error.pos[0]), error.message.split('\n', 1)[0] ?? '', options);
    }
    const value = reader.read(document);
    if (value === null) continue;
    const offset = document.contents?.range?.[0] ?? 0;
    documents.push({ value, line: lineOf(offset) });
  }
  return documents;
}
