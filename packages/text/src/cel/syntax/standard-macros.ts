import type { CelExpression } from './ast.ts';
import { accumulatorName, type CelMacro, Expansion, MacroProblem } from './macro.ts';

/** `has(a.b)`, and the macros that go over a list or the keys of a map with one variable. */
export const standardMacros: readonly CelMacro[] = [
  {
    name: 'has',
    argCount: 1,
    isMember: false,
    expand(offset, _target, [argument]) {
      if (argument?.kind === 'select' && !argument.isTest) {
        return { ...argument, offset, isTest: true };
      }
      return new MacroProblem(argument?.offset ?? offset, 'invalid argument to has() macro');
    },
  },
  ...quantifiers(1),
  loopMacro('map', 2, 1, (make, [transform]) => collect(make, undefined, transform)),
  loopMacro('map', 3, 1, (make, [condition, transform]) => collect(make, condition, transform)),
  loopMacro('filter', 2, 1, (make, [condition], [variable]) =>
    collect(make, condition, make.name(variable as string)),
  ),
];

/** The same with two variables: index and item, or key and value. */
export const twoVariableMacros: readonly CelMacro[] = [
  ...quantifiers(2),
  loopMacro('transformList', 3, 2, (make, [transform]) => collect(make, undefined, transform)),
  loopMacro('transformList', 4, 2, (make, [condition, transform]) =>
    collect(make, condition, transform),
  ),
  ...[3, 4].flatMap((argCount) => [
    loopMacro('transformMap', argCount, 2, (make, parts, [key]) =>
      insert(make, parts, make.name(key as string)),
    ),
    loopMacro('transformMapEntry', argCount, 2, (make, parts) => insert(make, parts)),
  ]),
];

interface LoopParts {
  readonly initial: CelExpression;
  readonly condition: CelExpression;
  readonly step: CelExpression;
  readonly result: CelExpression;
}

type LoopMaker = (
  make: Expansion,
  parts: readonly CelExpression[],
  variables: readonly string[],
) => LoopParts;

function loopMacro(
  name: string,
  argCount: number,
  variableCount: number,
  partsOf: LoopMaker,
): CelMacro {
  return {
    name,
    argCount,
    isMember: true,
    expand(offset, target, args) {
      const variables = namesOf(args.slice(0, variableCount));
      if (variables instanceof MacroProblem) return variables;
      const make = new Expansion(offset);
      const parts = partsOf(make, args.slice(variableCount), variables);
      return make.loop(target as CelExpression, variables, parts);
    },
  };
}

/** The names of the variables of a loop. */
function namesOf(args: readonly CelExpression[]): string[] | MacroProblem {
  const names: string[] = [];
  for (const { kind, offset, ...rest } of args) {
    if (kind !== 'identifier') return new MacroProblem(offset, 'argument must be a simple name');
    const { name } = rest as { name: string };
    if (names.includes(name)) return new MacroProblem(offset, `duplicate variable name: ${name}`);
    if (name === accumulatorName || name === '__result__')
      return new MacroProblem(offset, 'iteration variable overwrites accumulator variable');
    names.push(name);
  }
  return names;
}

function quantifiers(variableCount: number): CelMacro[] {
  const macro = (name: string, partsOf: LoopMaker) =>
    loopMacro(name, variableCount + 1, variableCount, partsOf);
  const exactlyOne: LoopMaker = (make, [condition]) => ({
    initial: make.literal(0n),
    condition: make.literal(true),
    step: make.call(
      '_?_:_',
      condition as CelExpression,
      make.call('_+_', make.result, make.literal(1n)),
      make.result,
    ),
    result: make.call('_==_', make.result, make.literal(1n)),
  });
  return [
    macro('all', (make, [condition]) => ({
      initial: make.literal(true),
      condition: make.call('@not_strictly_false', make.result),
      step: make.call('_&&_', make.result, condition as CelExpression),
      result: make.result,
    })),
    macro('exists', (make, [condition]) => ({
      initial: make.literal(false),
      condition: make.call('@not_strictly_false', make.call('!_', make.result)),
      step: make.call('_||_', make.result, condition as CelExpression),
      result: make.result,
    })),
    macro('exists_one', exactlyOne),
    macro('existsOne', exactlyOne),
  ];
}

/** A list of what each round gives, of those rounds for which the condition holds. */
function collect(
  make: Expansion,
  condition: CelExpression | undefined,
  item: CelExpression | undefined,
): LoopParts {
  const step = make.call('_+_', make.result, make.list(item as CelExpression));
  return { initial: make.list(), ...always(make, condition, step) };
}

function insert(
  make: Expansion,
  parts: readonly CelExpression[],
  ...key: CelExpression[]
): LoopParts {
  const [transform, condition] = parts.toReversed();
  const step = make.call('cel.@mapInsert', make.result, ...key, transform as CelExpression);
  return { initial: make.map(), ...always(make, condition, step) };
}

function always(make: Expansion, condition: CelExpression | undefined, step: CelExpression) {
  return {
    condition: make.literal(true),
    step: condition === undefined ? step : make.call('_?_:_', condition, step, make.result),
    result: make.result,
  };
}
