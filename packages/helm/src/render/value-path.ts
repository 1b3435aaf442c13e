import { GoMap, type GoValue } from '../go/value.ts';

/** The map at a path of keys with dots between; undefined when there is none. */
export function tableAt(values: GoMap, path: string): GoMap | undefined {
  let table: GoValue | undefined = values;
  for (const key of path.split('.')) {
    if (!(table instanceof GoMap)) return undefined;
    table = table.get(key);
  }
  return table instanceof GoMap ? table : undefined;
}

/** The first key of a path at which no map is: what messages name. */
export function missingTable(values: GoMap, path: string): string {
  let table: GoValue | undefined = values;
  for (const key of path.split('.')) {
    table = table instanceof GoMap ? table.get(key) : undefined;
    if (!(table instanceof GoMap)) return key;
  }
  return '';
}

/** The value at a path, unless it is a map. */
export function valueAt(values: GoMap, path: string): GoValue | undefined {
  const dot = path.lastIndexOf('.');
  const table = dot < 0 ? values : tableAt(values, path.slice(0, dot));
  const value = table?.get(path.slice(dot + 1));
  return value instanceof GoMap ? undefined : value;
}
