import { lookUpOrCreate, splitEscaped } from '../field-path.ts';
import { demandKind, setScalarText } from '../field-setter.ts';
import { compileSelector, type Selector } from '../selector/selector.ts';
import type { Transformer } from './transformer.ts';

export interface ValueAddTarget {
  readonly selector?: Selector;
  readonly fieldPath?: string;
  /** Where in a path the value goes, counted from one; 0 replaces the whole field. */
  readonly filePathPosition?: number;
}

/** Writes a value into fields, or into one part of the paths that they hold. */
export function valueAddTransformer(
  value: string,
  targets: readonly ValueAddTarget[],
): Transformer {
  return {
    kind: 'ValueAddTransformer',
    transform(resources) {
      for (const target of targets) {
        const isSelected = compileSelector(target.selector ?? {});
        const path = splitEscaped(target.fieldPath ?? '', '/');
        for (const resource of resources.toArray().filter(isSelected)) {
          const node = lookUpOrCreate(resource.node, path, 'scalar');
          if (node === undefined) continue;
          demandKind(node, 'scalar');
          const position = target.filePathPosition ?? 0;
          setScalarText(node, position > 0 ? insertPart(node.value, position - 1, value) : value);
        }
      }
      resources.reindex();
    },
  };
}

/** Puts a directory into a path. */
function insertPart(path: string, position: number, part: string): string {
  const isAbsolute = path.startsWith('/');
  const parts = path.split('/').filter((piece) => piece !== '');
  parts.splice(Math.min(position, parts.length), 0, part);
  return (isAbsolute ? '/' : '') + parts.join('/');
}
