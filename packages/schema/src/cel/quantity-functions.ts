import { Quantity } from '../quantity.ts';
import type { CelFunctionRegistry } from './function-registry.ts';

/** A quantity inside an expression. */
class CelQuantity {
  readonly quantity: Quantity;

  constructor(quantity: Quantity = Quantity.parse('0')) {
    this.quantity = quantity;
  }
}

/** `quantity('1Gi')` and what can be asked of it, as Kubernetes has it. */
export function registerQuantityFunctions(registry: CelFunctionRegistry): void {
  registry.registerType('Quantity', CelQuantity);
  registry.registerFunction('isQuantity(string): bool', Quantity.isQuantity);
  registry.registerFunction(
    'quantity(string): Quantity',
    (text: string) => new CelQuantity(Quantity.parse(text)),
  );
  const comparisons = {
    compareTo: ['int', (order: number) => BigInt(order)],
    isGreaterThan: ['bool', (order: number) => order > 0],
    isLessThan: ['bool', (order: number) => order < 0],
  } as const;
  for (const [name, [type, answer]] of Object.entries(comparisons)) {
    registry.registerFunction(
      `Quantity.${name}(Quantity): ${type}`,
      (left: CelQuantity, right: CelQuantity) => answer(left.quantity.compare(right.quantity)),
    );
  }
  registry.registerFunction(
    'Quantity.add(Quantity): Quantity',
    (left: CelQuantity, right: CelQuantity) => new CelQuantity(left.quantity.add(right.quantity)),
  );
  registry.registerFunction(
    'Quantity.sub(Quantity): Quantity',
    (left: CelQuantity, right: CelQuantity) =>
      new CelQuantity(left.quantity.subtract(right.quantity)),
  );
  registry.registerFunction(
    'Quantity.add(int): Quantity',
    (left: CelQuantity, right: bigint) => new CelQuantity(left.quantity.add(Quantity.parse(right))),
  );
  registry.registerFunction(
    'Quantity.sub(int): Quantity',
    (left: CelQuantity, right: bigint) =>
      new CelQuantity(left.quantity.subtract(Quantity.parse(right))),
  );
  registry.registerFunction('Quantity.sign(): int', ({ quantity }: CelQuantity) =>
    BigInt(quantity.compare(Quantity.parse('0'))),
  );
  registry.registerFunction('Quantity.isInteger(): bool', ({ quantity }: CelQuantity) =>
    isWhole(quantity),
  );
  registry.registerFunction('Quantity.asInteger(): int', ({ quantity }: CelQuantity) => {
    if (!isWhole(quantity)) throw new Error('cannot convert value to integer');
    return quantity.value();
  });
  registry.registerFunction('Quantity.asApproximateFloat(): double', ({ quantity }: CelQuantity) =>
    quantity.toNumber(),
  );
}

/** A value of `1.5` is rounded up by `value()`, so it is not what was written. */
function isWhole(quantity: Quantity): boolean {
  const limit = 2n ** 63n;
  const whole = quantity.value();
  return whole < limit && whole >= -limit && quantity.equals(Quantity.parse(whole));
}
