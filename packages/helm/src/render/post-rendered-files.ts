import type { DynamicObject } from '@waygate/schema';
import { parseYamlAll } from '@waygate/text';

const fileAnnotation = 'postrenderer.helm.sh/postrender-filename';

/**
 * The objects of rendered files, each with an annotation that names its file: what a post-renderer is given.
 *
 * ```ts
 * objectsOfFiles(new Map([['web/templates/a.yaml', 'kind: ConfigMap\n']]));
 * ```
 */
export function objectsOfFiles(files: ReadonlyMap<string, string>): DynamicObject[] {
  const objects: DynamicObject[] = [];
  for (const path of [...files.keys()].sort()) {
    const text = files.get(path)!;
    if (path.slice(path.lastIndexOf('/') + 1).startsWith('_') || text.trim() === '') continue;
    for (const value of parseYamlAll(text)) {
      if (value === null || value === undefined) continue;
      const object = value as DynamicObject;
      const { annotations } = object.metadata ?? {};
      objects.push({
        ...object,
        metadata: { ...object.metadata, annotations: { ...annotations, [fileAnnotation]: path } },
      });
    }
  }
  return objects;
}

/**
 * Puts objects back into the files that they came from; those that a post-renderer made have one each.
 *
 * ```ts
 * filesOfObjects([{ kind: 'ConfigMap', metadata: { name: 'a' } }], printYamlDocuments);
 * ```
 */
export function filesOfObjects(
  objects: readonly DynamicObject[],
  print: (objects: readonly DynamicObject[]) => string,
): Map<string, string> {
  const files = new Map<string, DynamicObject[]>();
  for (const [at, object] of objects.entries()) {
    const { [fileAnnotation]: path = `generated-by-postrender-${at}.yaml`, ...annotations } =
      object.metadata?.annotations ?? {};
    const { annotations: _, ...metadata } = object.metadata ?? {};
    const isEmpty = Object.keys(annotations).length === 0;
    const cleaned = { ...object, metadata: isEmpty ? metadata : { ...metadata, annotations } };
    files.set(path, [...(files.get(path) ?? []), cleaned as DynamicObject]);
  }
  return new Map([...files].map(([path, group]) => [path, print(group)]));
}
