import { createRequire } from 'node:module';
import type * as yaml from 'yaml';
import type { JsonValue } from '../entity/entities.ts';
import { readPlainYaml } from './fast-yaml.ts';
import { plainScalar } from './plain-scalar.ts';
import { findYamlFault } from './yaml-fault.ts';

export type ParsedYaml =
  | { readonly isValid: true; readonly value: JsonValue }
  | { readonly isValid: false; readonly message: string };

/** No file of a person expands one anchor more often than this; what does is an attack. */
const mostAliases = 10_000;

let wholeReader: typeof yaml | undefined;

/** The YAML library, loaded when a file needs it: most do not, and it takes a while. */
function yamlLibrary(): typeof yaml {
  wholeReader ??= createRequire(import.meta.url)('yaml') as typeof yaml;
  return wholeReader;
}

/** Gives texts without quotes their meaning. */
function resolveScalars(document: yaml.Document): void {
  yamlLibrary().visit(document, {
    Scalar(_key, node) {
      const isPlain = node.type === 'PLAIN' || node.type === undefined;
      if (!isPlain || node.tag === '!!str' || node.tag === 'tag:yaml.org,2002:str') return;
      const text = node.source ?? node.value;
      if (typeof text === 'string' && text !== '<<') node.value = plainScalar(text);
    },
  });
}

/** The whole reader, for everything that people write. */
export function parseWholeYaml(text: string): ParsedYaml {
  const documents = yamlLibrary().parseAllDocuments(text, {
    version: '1.1',
    schema: 'failsafe',
    merge: true,
    uniqueKeys: false,
    logLevel: 'silent',
  });
  const [first] = documents;
  if (first === undefined || !('errors' in first)) return { isValid: true, value: null };
  const [error] = first.errors;
  if (error !== undefined) {
    const ours = `yaml: ${error.message.split('\n')[0] ?? 'invalid'}`;
    return { isValid: false, message: findYamlFault(text) ?? ours };
  }
  resolveScalars(first);
  if (yamlLibrary().isScalar(first.contents) && first.contents.value === '')
    return { isValid: true, value: null };
  try {
    return {
      isValid: true,
      value: (first.toJS({ maxAliasCount: mostAliases }) ?? null) as JsonValue,
    };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const anchor = /alias[^:]*: (\S+)/.exec(reason)?.[1];
    const message = anchor === undefined ? reason : `unknown anchor '${anchor}' referenced`;
    return { isValid: false, message: `yaml: ${message}` };
  }
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/**
 * Reads the first document of a text as YAML 1.1, in which `yes` and `on` are booleans: declarative
 * files have always been read so. JSON is YAML.
 */
export function parseYaml(text: string): ParsedYaml {
  if (text.startsWith('{')) {
    const value = parseJson(text);
    if (value !== undefined) return { isValid: true, value };
  }
  const plain = readPlainYaml(text);
  return plain === undefined ? parseWholeYaml(text) : { isValid: true, value: plain.value };
}
