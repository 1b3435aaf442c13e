import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import type * as yaml from 'yaml';
import type { Document, Scalar, YAMLMap } from 'yaml';
import { TextError } from '../error.ts';
import { parseYaml, type YamlOptions } from './parse.ts';
import { yamlString } from './scalar-text.ts';

/** Where a value is in a document: names of fields, and places in lists. */
export type YamlPath = readonly (string | number)[];

/**
 * Sets a text in a YAML or JSON document and leaves every other character as it was: comments, order
 * and style stay. A field that is missing is added to its mapping; the mapping must be there.
 *
 * ```ts
 * setYamlText('a: 1 # one\nb: {c: x}\n', ['b', 'c'], 'new'); // 'a: 1 # one\nb: {c: new}\n'
 * ```
 *
 * @throws TextError `WG_TEXT_YAML` when the document cannot be edited so that only this changes
 */
export function setYamlText(
  text: string,
  path: YamlPath,
  value: string,
  options: YamlOptions = {},
): string {
  const expected = withValue(parseYaml(text, options), path, value);
  const edited = edit(text, path, value);
  // Anchors, merge keys and repeated keys can make an edit mean more, or less, than it seems.
  if (expected === undefined || edited === undefined || !means(edited, expected, options))
    throw new TextError('WG_TEXT_YAML', `${path.join('.')} cannot be set in place`);
  return edited;
}

function means(text: string, expected: unknown, options: YamlOptions): boolean {
  try {
    return isDeepStrictEqual(parseYaml(text, options), expected);
  } catch (error) {
    if (error instanceof TextError) return false;
    throw error;
  }
}

/** The library that keeps every character's place, loaded when a file is edited: few programs ever do. */
function library(): typeof yaml {
  return createRequire(import.meta.url)('yaml') as typeof yaml;
}

function edit(text: string, path: YamlPath, value: string): string | undefined {
  const { isMap, isScalar, parseDocument } = library();
  const document: Document = parseDocument(text, { uniqueKeys: false, merge: false });
  const node = document.getIn(path, true);
  if (isScalar(node)) return replaced(text, node, value);
  const parent = document.getIn(path.slice(0, -1), true);
  const key = path.at(-1);
  if (node !== undefined || !isMap(parent) || typeof key !== 'string') return undefined;
  return inserted(text, parent, key, value);
}

function replaced(text: string, node: Scalar, value: string): string | undefined {
  if (!node.range) return undefined;
  const [start, end] = node.range;
  const isBlock = node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED';
  const isQuoted = node.type === 'QUOTE_DOUBLE';
  // Nothing stands where an empty value is, so the space after the colon may be missing.
  const space = start === end && text[start - 1] === ':' ? ' ' : '';
  return `${text.slice(0, start)}${space}${written(value, isQuoted)}${isBlock ? '\n' : ''}${text.slice(end)}`;
}

/** Before the first field, as its indentation is known. */
function inserted(text: string, map: YAMLMap, key: string, value: string): string | undefined {
  const firstKey = map.items[0]?.key;
  if (!library().isScalar(firstKey) || !firstKey.range) return undefined;
  const [at] = firstKey.range;
  const isFlow = map.flow === true;
  const field = `${written(key, isFlow)}: ${written(value, isFlow)}`;
  const lineStart = text.lastIndexOf('\n', at - 1) + 1;
  const indentation = ' '.repeat(at - lineStart);
  return `${text.slice(0, at)}${field}${isFlow ? ', ' : `\n${indentation}`}${text.slice(at)}`;
}

function written(value: string, isQuoted: boolean): string {
  return !isQuoted && yamlString(value, 0, 0, true) === value ? value : JSON.stringify(value);
}

/** A copy with the value in it; undefined when the path leads nowhere. */
function withValue(root: unknown, path: YamlPath, value: string): unknown {
  const copy = structuredClone(root);
  let parent: unknown = copy;
  for (const step of path.slice(0, -1)) parent = (parent as Record<string, unknown>)?.[step];
  const last = path.at(-1);
  if (last === undefined || typeof parent !== 'object' || parent === null) return undefined;
  (parent as Record<string | number, unknown>)[last] = value;
  return copy;
}
