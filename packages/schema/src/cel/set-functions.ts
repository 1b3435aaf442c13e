import { equalJson } from '@waygate/text';
import type { CelFunctionRegistry } from './function-registry.ts';

type List = readonly unknown[];

/** The name that functions on sets are called by. */
class Sets {}

/** What the name `sets` stands for when an expression is evaluated. */
export const sets = new Sets();

const contains = (list: List, one: unknown) => list.some((other) => equalJson(other, one));
const containsAll = (list: List, wanted: List) => wanted.every((one) => contains(list, one));

/** `sets.contains`, `sets.equivalent` and `sets.intersects`. */
export function registerSetFunctions(registry: CelFunctionRegistry): void {
  registry.registerType('Sets', Sets);
  registry.registerVariable('sets', 'Sets');
  registry.registerFunction(
    'Sets.contains(list, list): bool',
    (_sets: Sets, list: List, wanted: List) => containsAll(list, wanted),
  );
  registry.registerFunction(
    'Sets.intersects(list, list): bool',
    (_sets: Sets, left: List, right: List) => left.some((one) => contains(right, one)),
  );
  registry.registerFunction(
    'Sets.equivalent(list, list): bool',
    (_sets: Sets, left: List, right: List) => containsAll(left, right) && containsAll(right, left),
  );
}
