import {
  CelFailure,
  type CelLibrary,
  CelObject,
  type CelResult,
  type CelType,
  type CelValue,
  celTypes,
  member,
  overload,
} from '@waygate/text';
import { Quantity } from '../quantity.ts';

const { boolType, doubleType, intType, stringType, structType } = celTypes;
const quantityType = structType('kubernetes.Quantity');

/** A quantity inside an expression. */
class CelQuantity extends CelObject {
  readonly typeName = 'kubernetes.Quantity';
  readonly quantity: Quantity;

  constructor(quantity: Quantity) {
    super();
    this.quantity = quantity;
  }

  equals(other: CelValue): boolean | CelFailure {
    return other instanceof CelQuantity
      ? this.quantity.equals(other.quantity)
      : new CelFailure('no such overload');
  }
}

const quantityOf = (value: CelValue) => (value as CelQuantity).quantity;

/** In the words of the API. */
const noQuantity = new CelFailure(
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
);

function parse(text: CelValue): CelResult {
  return Quantity.isQuantity(text as string)
    ? new CelQuantity(Quantity.parse(text as string))
    : noQuantity;
}

/** A value of `1.5` is rounded up by `value()`, so it is not what was written. */
function isWhole(quantity: Quantity): boolean {
  const limit = 2n ** 63n;
  const whole = quantity.value();
  return whole < limit && whole >= -limit && quantity.equals(Quantity.parse(whole));
}

const comparison = (id: string, result: CelType, answer: (order: number) => CelResult) => [
  member(id, [quantityType, quantityType], result, (left, right) =>
    answer(quantityOf(left).compare(quantityOf(right))),
  ),
];

const sum = (id: string, combine: (left: Quantity, right: Quantity) => Quantity) => [
  member(
    id,
    [quantityType, quantityType],
    quantityType,
    (left, right) => new CelQuantity(combine(quantityOf(left), quantityOf(right))),
  ),
  member(
    `${id}_int`,
    [quantityType, intType],
    quantityType,
    (left, right) => new CelQuantity(combine(quantityOf(left), Quantity.parse(right as bigint))),
  ),
];

/** `quantity('1Gi')` and what can be asked of it, as Kubernetes has it. */
export const quantities: CelLibrary = {
  functions: {
    quantity: [overload('string_to_quantity', [stringType], quantityType, parse)],
    isQuantity: [
      overload('is_quantity_string', [stringType], boolType, (text) =>
        Quantity.isQuantity(text as string),
      ),
    ],
    sign: [
      overload('quantity_sign', [quantityType], intType, (value) =>
        BigInt(quantityOf(value).compare(Quantity.parse('0'))),
      ),
    ],
    isGreaterThan: comparison('quantity_is_greater_than', boolType, (order) => order > 0),
    isLessThan: comparison('quantity_is_less_than', boolType, (order) => order < 0),
    compareTo: comparison('quantity_compare_to', intType, (order) => BigInt(order)),
    asApproximateFloat: [
      member('quantity_get_float', [quantityType], doubleType, (value) =>
        quantityOf(value).toNumber(),
      ),
    ],
    asInteger: [
      member('quantity_get_int', [quantityType], intType, (value) =>
        isWhole(quantityOf(value))
          ? quantityOf(value).value()
          : new CelFailure('cannot convert value to integer'),
      ),
    ],
    isInteger: [
      member('quantity_is_integer', [quantityType], boolType, (value) =>
        isWhole(quantityOf(value)),
      ),
    ],
    add: sum('quantity_add', (left, right) => left.add(right)),
    sub: sum('quantity_sub', (left, right) => left.subtract(right)),
  },
};
