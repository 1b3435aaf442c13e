import { toYaml } from '../formats/yaml-write.ts';
import { Budget } from '../go/budget.ts';
import type { GoMap } from '../go/value.ts';

/**
 * Values as YAML, with their keys in order, as Helm prints them.
 *
 * ```ts
 * printValues(readValues('b: 1\na: [x]')); // 'a:\n- x\nb: 1\n'
 * ```
 */
export function printValues(values: GoMap): string {
  return `${toYaml(values, new Budget())}\n`;
}
