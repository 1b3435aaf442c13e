import type { HelmMajor } from '../engine/values-type.ts';
import { readYamlObject } from '../formats/yaml-read.ts';
import { GoMap, type GoValue } from '../go/value.ts';

/** Lines and items of lists in one file, those in texts too: forty times what the largest charts have. */
const maxItems = 200_000;

/**
 * Reads a file of values. Of several documents Helm 3 sees the first, Helm 4 all, merged.
 *
 * ```ts
 * readValuesFile('replicas: 3', 4).get('replicas');
 * ```
 *
 * @throws Error with Helm's words, or about a file that is larger than any that people write
 */
export function readValuesFile(text: string, helm: HelmMajor): GoMap {
  let items = 0;
  for (const _ of text.matchAll(/[\n,[{]/g)) {
    if (++items > maxItems) throw new Error(`the file has more than ${maxItems} lines and items`);
  }
  if (helm === 3) return new GoMap(readYamlObject(text).entries);
  let values = new GoMap();
  for (const document of documentsOf(text)) {
    try {
      values = mergeMaps(values, readYamlObject(document));
    } catch (cause) {
      const { message } = cause as Error;
      throw new Error(`cannot unmarshal yaml document: ${message}`, { cause });
    }
  }
  return values;
}

/** At lines of `---` with nothing but a comment after it, as Kubernetes' reader divides a stream. */
function* documentsOf(text: string): Iterable<string> {
  let document = '';
  for (const line of text.split(/(?<=\n)/)) {
    if (/^---\s*(#|$)/.test(line) && document !== '') {
      yield document;
      document = '';
    } else document += line;
  }
  if (document !== '') yield document;
}

/**
 * Two maps as one, maps in them too; of two other values the second's.
 *
 * ```ts
 * mergeMaps(readValues('{a: 1}'), readValues('{b: 2}')).size; // 2
 * ```
 */
export function mergeMaps(first: GoMap, second: GoMap): GoMap {
  // Most often there is one document, and it may be large.
  if (first.size === 0) return new GoMap(second.entries);
  const merged = new Map<string, GoValue>(first.entries);
  for (const [key, value] of second.entries) {
    const before = merged.get(key);
    const isBoth = before instanceof GoMap && value instanceof GoMap;
    merged.set(key, isBoth ? mergeMaps(before, value) : value);
  }
  return new GoMap(merged);
}
