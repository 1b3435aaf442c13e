import type { CelMacro } from './syntax/macro.ts';
import { standardMacros } from './syntax/standard-macros.ts';
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  nullType,
  optionalOf,
  paramsOf,
  stringType,
  timestampType,
  typeType,
  uintType,
} from './types/type.ts';
import type { CelResult, CelValue } from './values/value.ts';

type CelImplementation = (...args: CelValue[]) => CelResult;

/** One way to call a function. */
export interface CelOverload {
  readonly id: string;
  /** `a.f(b)` rather than `f(a, b)`; the first argument is the target. */
  readonly isMember: boolean;
  readonly args: readonly CelType[];
  readonly result: CelType;
  readonly call: CelImplementation;
  /** The names of type parameters among the arguments and the result. */
  readonly params: readonly string[];
  /** The implementation looks at the types of its arguments by itself. */
  readonly isUnguarded?: boolean;
}

/** Functions and macros that belong together. */
export interface CelLibrary {
  readonly functions: Readonly<Record<string, readonly CelOverload[]>>;
  readonly macros?: readonly CelMacro[];
  /** Names that stand for types. */
  readonly types?: Readonly<Record<string, CelType>>;
}

/**
 * A way to call a function: `f(a, b)`. The id is unique among all overloads of an environment.
 *
 * ```ts
 * const twice = overload('twice_string', [celTypes.stringType], celTypes.stringType, (text) => `${text}${text}`);
 * const declarations = CelDeclarations.of([...kubernetesLibraries, { functions: { twice: [twice] } }]);
 * const checked = compileCel("twice('ab')", declarations);
 * const program = 'issues' in checked ? undefined : checked.program(declarations);
 * program instanceof CelProgram && program.evaluate(() => undefined).value; // 'abab'
 * ```
 */
export function overload(
  id: string,
  args: readonly CelType[],
  result: CelType,
  call: CelImplementation,
): CelOverload {
  return { id, isMember: false, args, result, call, params: paramNames([...args, result]) };
}

/**
 * A way to call a function on its first argument: `a.f(b)`.
 *
 * ```ts
 * const shout = member('string_shout', [celTypes.stringType], celTypes.stringType, (text) => `${text}!`);
 * const declarations = CelDeclarations.of([...kubernetesLibraries, { functions: { shout: [shout] } }]);
 * 'issues' in compileCel("'ab'.shout()", declarations); // false
 * ```
 */
export function member(
  id: string,
  args: readonly CelType[],
  result: CelType,
  call: CelImplementation,
): CelOverload {
  return { ...overload(id, args, result, call), isMember: true };
}

/** Overloads that share one implementation, which looks at the types of its arguments. */
export function unguarded(
  call: CelImplementation,
  overloads: readonly (readonly [id: string, args: readonly CelType[], result: CelType])[],
): CelOverload[] {
  return overloads.map(([id, args, result]) => ({
    ...overload(id, args, result, call),
    isUnguarded: true,
  }));
}

function paramNames(types: readonly CelType[]): string[] {
  const names = new Set<string>();
  const visit = (type: CelType): void => {
    if (type.kind === 'param') names.add(type.name);
    for (const part of paramsOf(type)) visit(part);
  };
  for (const type of types) visit(type);
  return [...names];
}

const typeNames: Readonly<Record<string, CelType>> = {
  bool: boolType,
  bytes: bytesType,
  double: doubleType,
  int: intType,
  list: listOf(dynType),
  map: mapOf(dynType, dynType),
  null_type: nullType,
  string: stringType,
  type: typeType,
  uint: uintType,
  optional_type: optionalOf(dynType),
  'google.protobuf.Timestamp': timestampType,
  'google.protobuf.Duration': durationType,
};

/**
 * What the names in an expression mean.
 *
 * ```ts
 * const declarations = CelDeclarations.of(kubernetesLibraries).with({ replicas: celTypes.intType });
 * 'issues' in compileCel('replicas > 3', declarations); // false
 * 'issues' in compileCel('replicas.startsWith("a")', declarations); // true
 * ```
 */
export class CelDeclarations {
  readonly functions: ReadonlyMap<string, readonly CelOverload[]>;
  readonly macros: readonly CelMacro[];
  readonly variables: ReadonlyMap<string, CelType>;
  /** Any name that means nothing else is a variable of which nothing is known. */
  readonly isOpen: boolean;
  readonly #types: (name: string) => CelType | undefined;

  constructor(
    functions: ReadonlyMap<string, readonly CelOverload[]>,
    macros: readonly CelMacro[],
    variables: ReadonlyMap<string, CelType>,
    types: (name: string) => CelType | undefined,
    isOpen = false,
  ) {
    this.isOpen = isOpen;
    this.functions = functions;
    this.macros = macros;
    this.variables = variables;
    this.#types = types;
  }

  static of(libraries: readonly CelLibrary[]): CelDeclarations {
    const functions = new Map<string, CelOverload[]>();
    const types: Record<string, CelType> = { ...typeNames };
    for (const library of libraries) {
      for (const [name, overloads] of Object.entries(library.functions)) {
        functions.set(name, [...(functions.get(name) ?? []), ...overloads]);
      }
      Object.assign(types, library.types);
    }
    const macros = [...standardMacros, ...libraries.flatMap((library) => library.macros ?? [])];
    const find = (name: string) => (Object.hasOwn(types, name) ? types[name] : undefined);
    return new CelDeclarations(functions, macros, new Map(), find);
  }

  /** The same with these variables, and with types that are found by name. */
  with(
    variables: Readonly<Record<string, CelType>>,
    types: (name: string) => CelType | undefined = () => undefined,
  ): CelDeclarations {
    return new CelDeclarations(
      this.functions,
      this.macros,
      new Map([...this.variables, ...Object.entries(variables)]),
      (name) => this.#types(name) ?? types(name),
      this.isOpen,
    );
  }

  /** The same for expressions on data whose fields are not known beforehand. */
  open(): CelDeclarations {
    return new CelDeclarations(this.functions, this.macros, this.variables, this.#types, true);
  }

  findType(name: string): CelType | undefined {
    return this.#types(name);
  }
}
