import { type CelExpression, copyExpression } from './ast.ts';
import { type CelMacro, Expansion, MacroProblem } from './macro.ts';
import { standardMacros } from './standard-macros.ts';

/** `optMap` and `optFlatMap`: something done to the value of an optional, if it has one. */
export const optionalMacros: readonly CelMacro[] = [
  optionalMacro('optMap', (make, value) => make.call('optional.of', value)),
  optionalMacro('optFlatMap', (_make, value) => value),
];

function optionalMacro(
  name: string,
  wrap: (make: Expansion, value: CelExpression) => CelExpression,
): CelMacro {
  return {
    name,
    argCount: 2,
    isMember: true,
    expand(offset, target, [variable, transform]) {
      if (variable?.kind !== 'identifier') {
        const why = `${name}() variable name must be a simple identifier`;
        return new MacroProblem(variable?.offset ?? offset, why);
      }
      const make = new Expansion(offset);
      const operand = target as CelExpression;
      const value = make.bind(
        variable.name,
        make.member('value', copyExpression(operand)),
        transform as CelExpression,
      );
      return make.call(
        '_?_:_',
        make.member('hasValue', operand),
        wrap(make, value),
        make.call('optional.none'),
      );
    },
  };
}

const sortInput = '@__sortBy_input__';

/** `sortBy(item, key)`: the list in the order of its keys. */
export const sortByMacro: CelMacro = {
  name: 'sortBy',
  argCount: 2,
  isMember: true,
  expand(offset, target, args) {
    const operand = target as CelExpression;
    if (!['list', 'select', 'identifier', 'comprehension', 'call'].includes(operand.kind)) {
      const why =
        'sortBy can only be applied to a list, identifier, comprehension, call or select expression';
      return new MacroProblem(operand.offset, why);
    }
    const make = new Expansion(offset);
    const map = standardMacros.find(({ name, argCount }) => name === 'map' && argCount === 2);
    const keys = map?.expand(offset, make.name(sortInput), args);
    if (keys === undefined || keys instanceof MacroProblem) return keys;
    const sorted = make.member('@sortByAssociatedKeys', make.name(sortInput), keys);
    return make.bind(sortInput, operand, sorted);
  },
};
