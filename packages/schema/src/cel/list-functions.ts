import { equalJson } from '@waygate/text';
import type { CelFunctionRegistry } from './function-registry.ts';

type Comparable = bigint | number | string | boolean | Date;
type List = readonly Comparable[];

/** The functions on lists that Kubernetes adds to CEL. */
export function registerListFunctions(registry: CelFunctionRegistry): void {
  registry.registerFunction('list.isSorted(): bool', (list: List) =>
    list.every((value, index) => index === 0 || (list[index - 1] as Comparable) <= value),
  );
  registry.registerFunction('list.sum(): dyn', (list: List) => {
    if (list.every((value) => typeof value === 'bigint')) {
      return list.reduce((sum: bigint, value) => sum + (value as bigint), 0n);
    }
    return list.reduce((sum: number, value) => sum + Number(value), 0);
  });
  registry.registerFunction('list.min(): dyn', (list: List) =>
    extreme(list, 'min', (one, other) => one < other),
  );
  registry.registerFunction('list.max(): dyn', (list: List) =>
    extreme(list, 'max', (one, other) => one > other),
  );
  registry.registerFunction('list.indexOf(dyn): int', (list: readonly unknown[], value: unknown) =>
    BigInt(list.findIndex((one) => equalJson(one, value))),
  );
  registry.registerFunction(
    'list.lastIndexOf(dyn): int',
    (list: readonly unknown[], value: unknown) =>
      BigInt(list.findLastIndex((one) => equalJson(one, value))),
  );
}

function extreme(
  list: List,
  name: string,
  isBetter: (one: Comparable, other: Comparable) => boolean,
): Comparable {
  const [first, ...rest] = list;
  if (first === undefined) throw new Error(`${name} called on empty list`);
  return rest.reduce((best, value) => (isBetter(value, best) ? value : best), first);
}
