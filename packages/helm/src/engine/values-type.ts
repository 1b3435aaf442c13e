import { toYaml } from '../formats/yaml-write.ts';
import { fn, of, str } from '../go/define.ts';
import { GoError, type GoFunction } from '../go/function.ts';
import { quoteString } from '../go/quote.ts';
import { anyMap, type GoType, namedType } from '../go/type.ts';
import { GoMap, type GoValue } from '../go/value.ts';

/** Which Helm is to be followed where 3 and 4 differ. */
export type HelmMajor = 3 | 4;

/** What a template cannot have: Go's io.Writer. */
const writerType: GoType = { name: 'io.Writer', kind: 'interface' };

function valuesTypeNamed(name: string): GoType {
  const methods = new Map<string, (receiver: GoValue) => GoFunction>([
    ['AsMap', (receiver) => fn([], () => (receiver as GoMap).as(anyMap))],
    ['Encode', () => fn([of<never>(writerType)], () => null)],
    ['YAML', (receiver) => fn([], ({ budget }) => `${toYaml(receiver, budget)}\n`)],
    [
      'Table',
      (receiver) => fn([str], (_, path) => table(receiver as GoMap, path.split('.'), type)),
    ],
    ['PathValue', (receiver) => fn([str], (_, path) => pathValue(receiver as GoMap, path, type))],
  ]);
  const type: GoType = namedType(name, anyMap, { methods });
  return type;
}

const types = { 3: valuesTypeNamed('chartutil.Values'), 4: valuesTypeNamed('common.Values') };

/**
 * The type of `.`, of `.Values` and of `.Template`, which has methods: `AsMap`, `YAML`, `Table`, `PathValue`.
 *
 * ```ts
 * new GoMap([['name', 'web']], valuesType(4));
 * ```
 */
export function valuesType(helm: HelmMajor): GoType {
  return types[helm];
}

function table(start: GoMap, path: readonly string[], type: GoType): GoMap {
  let found = start;
  for (const key of path) {
    const next = found.get(key);
    if (!(next instanceof GoMap) || (next.type !== anyMap && next.type !== type)) {
      throw new GoError(`${quoteString(key)} is not a table`);
    }
    found = next;
  }
  return found.as(type);
}

function pathValue(start: GoMap, path: string, type: GoType): GoValue {
  if (path === '') throw new GoError('YAML path cannot be empty');
  const keys = path.split('.');
  const last = keys.pop()!;
  let holder: GoMap;
  try {
    holder = table(start, keys, type);
  } catch (error) {
    if (error instanceof GoError) throw new GoError(`${quoteString(last)} is not a value`);
    throw error;
  }
  const value = holder.get(last);
  if (value === undefined || (value instanceof GoMap && value.type === anyMap)) {
    throw new GoError(`${quoteString(last)} is not a value`);
  }
  return value;
}
