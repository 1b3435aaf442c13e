import type { KubeObject } from '@waygate/schema';
import { equalJson, getOwn, isObject, printJsonPointer } from '@waygate/text';

/** Fields that the server or other controllers write, which no source asks for. */
const unwatched: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

/** Paths beyond this many say nothing more. */
const maxPaths = 50;

/**
 * Where what would be stored differs from what is stored, as JSON pointers: labels, annotations and
 * all but metadata and status. Empty when applying would change nothing.
 *
 * ```ts
 * const metadata = { name: 'a' };
 * const [path] = driftedPaths({ metadata, data: { b: '1' } } as KubeObject, { metadata, data: { b: '2' } } as KubeObject);
 * path; // '/data/b'
 * ```
 */
export function driftedPaths(live: KubeObject, wanted: KubeObject): string[] {
  const paths: string[] = [];
  for (const field of ['labels', 'annotations'] as const) {
    collect(live.metadata[field] ?? {}, wanted.metadata[field] ?? {}, ['metadata', field], paths);
  }
  const left = live as unknown as Record<string, unknown>;
  const right = wanted as unknown as Record<string, unknown>;
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    if (!unwatched.has(key)) collect(getOwn(left, key), getOwn(right, key), [key], paths);
  }
  return paths;
}

function collect(left: unknown, right: unknown, path: string[], paths: string[]): void {
  if (paths.length >= maxPaths || equalJson(left, right)) return;
  if (isObject(left) && isObject(right)) {
    for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
      collect(getOwn(left, key), getOwn(right, key), [...path, key], paths);
    }
    return;
  }
  if (Array.isArray(left) && Array.isArray(right) && left.length === right.length) {
    left.forEach((item, index) => {
      collect(item, right[index], [...path, String(index)], paths);
    });
    return;
  }
  paths.push(printJsonPointer(path));
}
