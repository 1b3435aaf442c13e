import { parseYamlNode, type YamlNode } from '@waygate/text';
import type { PatchPlace } from './transformer.ts';

/** The lines at which the operations of a JSON patch stand, in a file after some other lines. */
export function operationPlaces(text: string, file: string, before: number): PatchPlace[] {
  let root: YamlNode | undefined;
  try {
    root = parseYamlNode(text);
  } catch {
    // It was read in another way: where its lines are is not known then.
    return [];
  }
  if (root?.kind !== 'sequence') return [];
  return root.content.flatMap((operation) => {
    const pointer = operation.kind === 'map' ? operation.get('path') : undefined;
    if (pointer === undefined) return [];
    const { line } = operation.get('value') ?? pointer;
    return line < 0 ? [] : [{ pointer: pointer.value, file, line: before + line + 1 }];
  });
}

/** Lets nodes of a patch that is written in another file say where that is. */
export function placeNodes(node: YamlNode, file: string, before: number): void {
  if (node.line >= 0) {
    node.file = file;
    node.line += before;
  }
  for (const child of node.content) placeNodes(child, file, before);
}

/** The last place that gives a value to what a pointer leads to. */
export function placeOf(
  places: readonly PatchPlace[] | undefined,
  pointer: readonly string[],
): PatchPlace | undefined {
  return places?.findLast((place) => {
    const parts = place.pointer
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    // A value that was put at the end of a list may be at any place of it by now.
    return parts.every((part, index) => part === pointer[index] || part === '-');
  });
}
