import { parseAllDocuments, type ScalarTag, type Tags } from 'yaml';
import type { JsonValue } from '../entity/entities.ts';

export type ParsedYaml =
  | { readonly isValid: true; readonly value: JsonValue }
  | { readonly isValid: false; readonly message: string };

/** Dates stay text and `1:30` is no number, as for everybody who reads these files in Go. */
function withoutTimes(tags: Tags): Tags {
  return tags.filter((tag) => {
    if (typeof tag === 'string')
      return tag !== 'timestamp' && tag !== 'intTime' && tag !== 'floatTime';
    return tag.tag !== 'tag:yaml.org,2002:timestamp' && (tag as ScalarTag).format !== 'TIME';
  });
}

/** The words in which Go's YAML reader, which people know from decK, tells of the usual mistakes. */
function goMessage(code: string, message: string): string {
  switch (code) {
    case 'TAB_AS_INDENT':
      return 'found character that cannot start any token';
    case 'BAD_INDENT':
    case 'MISSING_CHAR':
    case 'BAD_COLLECTION_TYPE':
      return 'did not find expected node content';
    case 'BLOCK_AS_IMPLICIT_KEY':
    case 'MULTILINE_IMPLICIT_KEY':
      return 'mapping values are not allowed in this context';
    case 'BAD_ALIAS':
      return 'unknown anchor referenced';
    default:
      return message.split('\n')[0] ?? 'invalid';
  }
}

/** No file of a person expands one anchor more often than this; what does is an attack. */
const mostAliases = 10_000;

/**
 * Reads the first document of a text as YAML 1.1, in which `yes` and `on` are booleans: declarative
 * files have always been read so. JSON is YAML.
 */
export function parseYaml(text: string): ParsedYaml {
  const documents = parseAllDocuments(text, {
    version: '1.1',
    schema: 'yaml-1.1',
    merge: true,
    uniqueKeys: false,
    customTags: withoutTimes,
    logLevel: 'silent',
  });
  const [first] = documents;
  if (first === undefined || !('errors' in first)) return { isValid: true, value: null };
  const [error] = first.errors;
  if (error !== undefined) {
    const lines = text.trimEnd().split('\n').length;
    const line = Math.min(error.linePos?.[0].line ?? 1, lines);
    return {
      isValid: false,
      message: `yaml: line ${line}: ${goMessage(error.code, error.message)}`,
    };
  }
  try {
    return { isValid: true, value: first.toJS({ maxAliasCount: mostAliases }) as JsonValue };
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    return { isValid: false, message: `yaml: ${message}` };
  }
}
