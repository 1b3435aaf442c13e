import { toJson } from '../formats/json-write.ts';
import { Budget } from '../go/budget.ts';
import { sprint } from '../go/format.ts';
import { GoMap, type GoValue, itemsOf } from '../go/value.ts';
import { CommandError } from './command-error.ts';

/**
 * Prints what a template of JSONPath finds: text as it is, and in braces paths of names, indexes, `[*]` and
 * `['a.b']`. Filters and ranges are refused.
 *
 * ```ts
 * declare const values: GoMap;
 * printJsonPath('{.image.tag}', values); // 1.2.3
 * ```
 *
 * @throws CommandError
 */
export function printJsonPath(template: string, values: GoMap): string {
  if (template.lastIndexOf('{') > template.lastIndexOf('}')) {
    throw new CommandError(`error parsing jsonpath ${template}: unclosed action`);
  }
  return template.replace(/\{([^{}]*)\}/g, (_, path: string) =>
    find(path.trim(), values, template).map(printValue).join(' '),
  );
}

function find(path: string, values: GoMap, template: string): GoValue[] {
  const quoted = /^(?:"([^"]*)"|'([^']*)')$/.exec(path);
  if (quoted !== null) return [quoted[1] ?? quoted[2] ?? ''];
  let found: GoValue[] = [values];
  const step = /(?:^\$)|\.\.|\.([A-Za-z0-9_/-]+|\*)|\[(\*|-?\d+)\]|\['([^']*)'\]|\["([^"]*)"\]/y;
  while (step.lastIndex < path.length) {
    const part = step.exec(path);
    if (part === null || part[0] === '..') {
      throw new CommandError(
        `error parsing jsonpath ${template}: only names, indexes and [*] are understood`,
      );
    }
    if (part[0] === '$') continue;
    const key = part[1] ?? part[2] ?? part[3] ?? part[4] ?? '';
    found = found.flatMap((value) => below(value, key));
  }
  return found;
}

function below(value: GoValue, key: string): GoValue[] {
  const items = itemsOf(value);
  if (key === '*') {
    if (items !== undefined) return [...items];
    return value instanceof GoMap ? value.sortedKeys().map((each) => value.get(each)!) : [];
  }
  if (items !== undefined) {
    const found = /^-?\d+$/.test(key) ? items.at(Number(key)) : undefined;
    return found === undefined ? [] : [found];
  }
  const found = value instanceof GoMap ? value.get(key) : undefined;
  return found === undefined ? [] : [found];
}

function printValue(value: GoValue): string {
  const isPlain = !(value instanceof GoMap) && itemsOf(value) === undefined;
  return isPlain ? sprint([value], new Budget()) : toJson(value, new Budget());
}
