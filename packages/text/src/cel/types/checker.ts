import type { CelDeclarations, CelOverload } from '../declaration.ts';
import type {
  CallExpression,
  CelExpression,
  ComprehensionExpression,
  IdentifierExpression,
  ListExpression,
  MapExpression,
  SelectExpression,
  StructExpression,
} from '../syntax/ast.ts';
import { childrenOf } from '../syntax/ast.ts';
import type { CelIssue } from '../syntax/source.ts';
import { qualifiedName } from '../syntax/tree.ts';
import { CelUint } from '../values/value.ts';
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  dynType,
  errorType,
  intType,
  isDynamic,
  isSameType,
  listOf,
  mapOf,
  mapParams,
  nullType,
  optionalOf,
  optionalPart,
  paramsOf,
  showType,
  stringType,
  uintType,
} from './type.ts';
import { mostGeneral, Substitutions } from './unification.ts';

/** Gives every part of an expression its type and every call its overloads, or says what does not fit. */
export function checkTypes(expression: CelExpression, declarations: CelDeclarations): CelIssue[] {
  const checker = new Checker(declarations);
  checker.check(expression);
  checker.settle(expression);
  return checker.issues;
}

class Checker {
  readonly issues: CelIssue[] = [];
  readonly #declarations: CelDeclarations;
  readonly #bound = new Substitutions();
  /** The variables of the loops around the place that is being checked; the innermost is last. */
  readonly #scopes: Map<string, CelType>[] = [];
  #freshCount = 0;

  constructor(declarations: CelDeclarations) {
    this.#declarations = declarations;
  }

  /** Puts in what was found out after a part was checked; what never was is dyn. */
  settle(expression: CelExpression): void {
    if (expression.type !== undefined) expression.type = this.#bound.apply(expression.type, true);
    for (const part of childrenOf(expression)) this.settle(part);
  }

  check(expression: CelExpression): CelType {
    const type = this.#typeOf(expression);
    expression.type = type;
    return type;
  }

  #issue(offset: number, message: string): CelType {
    this.issues.push({ offset, message });
    return errorType;
  }

  #mismatch(offset: number, expected: CelType, found: CelType): CelType {
    return this.#issue(
      offset,
      `expected type '${showType(expected)}' but found '${showType(found)}'`,
    );
  }

  #undeclared(offset: number, name: string): CelType {
    return this.#issue(offset, `undeclared reference to '${name}' (in container '')`);
  }

  #fresh(): CelType {
    this.#freshCount += 1;
    return { kind: 'param', name: `_var${this.#freshCount - 1}` };
  }

  #typeOf(expression: CelExpression): CelType {
    switch (expression.kind) {
      case 'literal':
        return typeOfLiteral(expression.value);
      case 'identifier':
        return this.#identifier(expression);
      case 'select':
        return this.#select(expression);
      case 'call':
        return this.#call(expression);
      case 'list':
        return this.#list(expression);
      case 'map':
        return this.#map(expression);
      case 'struct':
        return this.#struct(expression);
      case 'comprehension':
        return this.#comprehension(expression);
    }
  }

  /** The type of a name; that of a type is the type of it. */
  #lookUp(name: string): CelType | undefined {
    const isRooted = name.startsWith('.');
    const plain = isRooted ? name.slice(1) : name;
    if (!isRooted) {
      const scope = this.#scopes.findLast((each) => each.has(plain));
      if (scope !== undefined) return scope.get(plain);
    }
    const variable = this.#declarations.variables.get(plain);
    if (variable !== undefined) return variable;
    // A field may be called as a type is; which of both is meant shows when there is an object.
    if (this.#declarations.isOpen && !plain.includes('.')) return dynType;
    const type = this.#declarations.findType(plain);
    return type === undefined ? undefined : { kind: 'type', of: type };
  }

  #identifier({ name, offset }: IdentifierExpression): CelType {
    return this.#lookUp(name) ?? this.#undeclared(offset, name);
  }

  #select(expression: SelectExpression): CelType {
    const name = qualifiedName(expression);
    const known = name === undefined ? undefined : this.#lookUp(name);
    if (known !== undefined) {
      expression.resolved = name as string;
      return known;
    }
    const { operand, field, isTest, offset } = expression;
    const type = this.#field(offset, operand, field, false);
    return isTest ? boolType : this.#bound.apply(type);
  }

  #field(offset: number, operand: CelExpression, field: string, isOptional: boolean): CelType {
    const operandType = this.#bound.apply(this.check(operand));
    const inner = optionalPart(operandType);
    const type = this.#fieldType(offset, inner ?? operandType, field);
    return isOptional || inner !== undefined ? optionalOf(type) : type;
  }

  #fieldType(offset: number, type: CelType, field: string): CelType {
    switch (type.kind) {
      case 'map':
        return type.value;
      case 'struct':
        return type.fields?.get(field) ?? this.#issue(offset, `undefined field '${field}'`);
      case 'param':
        this.#bound.isAssignable(dynType, type);
        return dynType;
      default:
        if (!isDynamic(type)) {
          this.#issue(offset, `type '${showType(type)}' does not support field selection`);
        }
        return dynType;
    }
  }

  #call(expression: CallExpression): CelType {
    const { args, offset } = expression;
    if (expression.function === '_?._') {
      const [operand, field] = args as [CelExpression, CelExpression];
      expression.overloads = ['select_optional_field'];
      const name = field.kind === 'literal' ? String(field.value) : '';
      field.type = stringType;
      return this.#bound.apply(this.#field(offset, operand, name, true));
    }
    for (const argument of args) this.check(argument);
    if (expression.target === undefined) {
      const name = expression.function.replace(/^\./, '');
      const overloads = this.#declarations.functions.get(name);
      if (overloads === undefined) return this.#undeclared(offset, expression.function);
      expression.function = name;
      return this.#resolve(expression, overloads);
    }
    const prefix = qualifiedName(expression.target);
    const qualified = `${prefix?.replace(/^\./, '')}.${expression.function}`;
    const named = prefix === undefined ? undefined : this.#declarations.functions.get(qualified);
    if (named !== undefined) {
      expression.function = qualified;
      expression.target = undefined;
      return this.#resolve(expression, named);
    }
    this.check(expression.target);
    const overloads = this.#declarations.functions.get(expression.function);
    if (overloads === undefined) return this.#undeclared(offset, expression.function);
    return this.#resolve(expression, overloads);
  }

  #resolve(expression: CallExpression, overloads: readonly CelOverload[]): CelType {
    const { target, args, offset } = expression;
    const all = target === undefined ? args : [target, ...args];
    const types = all.map(({ type }) => type as CelType);
    if (expression.function === '_&&_' || expression.function === '_||_') {
      return this.#logical(expression, types);
    }
    const found: string[] = [];
    let result: CelType | undefined;
    for (const each of overloads) {
      if (each.isMember !== (target !== undefined)) continue;
      const instance = this.#instantiate(each);
      if (!this.#bound.areAssignable(types, instance.args)) continue;
      found.push(each.id);
      const type = this.#bound.apply(instance.result);
      if (result === undefined) result = type;
      else if (result.kind !== 'dyn' && !isSameType(result, type)) result = dynType;
    }
    if (result !== undefined) {
      expression.overloads = found;
      return result;
    }
    const shown = types.map((type) => showType(this.#bound.apply(type, true)));
    const signature =
      target === undefined ? `(${shown.join(', ')})` : `${shown[0]}.(${shown.slice(1).join(', ')})`;
    const why = `found no matching overload for '${expression.function}' applied to '${signature}'`;
    return this.#issue(offset, why);
  }

  #logical(expression: CallExpression, types: readonly CelType[]): CelType {
    expression.overloads = [expression.function === '_&&_' ? 'logical_and' : 'logical_or'];
    let isRight = true;
    for (const [index, type] of types.entries()) {
      if (this.#bound.isAssignable(type, boolType)) continue;
      this.#mismatch((expression.args[index] as CelExpression).offset, boolType, type);
      isRight = false;
    }
    return isRight ? boolType : errorType;
  }

  #instantiate({ args, result, params }: CelOverload): {
    args: readonly CelType[];
    result: CelType;
  } {
    if (params.length === 0) return { args, result };
    const fresh = new Map(params.map((name) => [name, this.#fresh()]));
    const replace = (type: CelType): CelType =>
      type.kind === 'param' ? (fresh.get(type.name) as CelType) : mapParams(type, replace);
    return { args: args.map(replace), result: replace(result) };
  }

  /** The type that both have; anything goes when they have none. */
  #join(previous: CelType | undefined, current: CelType): CelType {
    if (previous === undefined) return current;
    return this.#bound.isAssignable(previous, current) ? mostGeneral(previous, current) : dynType;
  }

  #unwrapped(part: CelExpression, type: CelType): CelType {
    const inner = optionalPart(type);
    if (inner === undefined && type.kind !== 'dyn')
      this.#mismatch(part.offset, optionalOf(type), type);
    return inner ?? type;
  }

  #list({ elements, optionals }: ListExpression): CelType {
    let item: CelType | undefined;
    for (const [index, element] of elements.entries()) {
      const type = this.check(element);
      item = this.#join(item, optionals.has(index) ? this.#unwrapped(element, type) : type);
    }
    return listOf(item ?? this.#fresh());
  }

  #map({ entries }: MapExpression): CelType {
    let keyType: CelType | undefined;
    let valueType: CelType | undefined;
    for (const { key, value, isOptional } of entries) {
      keyType = this.#join(keyType, this.check(key));
      const type = this.check(value);
      valueType = this.#join(valueType, isOptional ? this.#unwrapped(value, type) : type);
    }
    return mapOf(keyType ?? this.#fresh(), valueType ?? this.#fresh());
  }

  #struct({ typeName, fields, offset }: StructExpression): CelType {
    const named = this.#lookUp(typeName);
    if (named === undefined) return this.#undeclared(offset, typeName);
    const type = named.kind === 'type' ? paramsOf(named)[0] : undefined;
    if (type === undefined) return this.#issue(offset, `'${showType(named)}' is not a type`);
    if (type.kind !== 'struct') {
      return this.#issue(offset, `'${showType(type)}' is not a message type`);
    }
    for (const { name, value, isOptional, offset: at } of fields) {
      const given = this.check(value);
      const wanted = type.fields?.get(name) ?? this.#issue(at, `undefined field '${name}'`);
      const inner = isOptional ? this.#unwrapped(value, given) : given;
      if (this.#bound.isAssignable(wanted, inner)) continue;
      const why = `expected type of field '${name}' is '${showType(wanted)}' but provided type is '${showType(inner)}'`;
      this.#issue(at, why);
    }
    return type;
  }

  #comprehension(expression: ComprehensionExpression): CelType {
    const { range, initial, condition, step, result, accumulator, variable, variable2 } =
      expression;
    this.check(range);
    const initialType = this.check(initial);
    const rangeType = this.#bound.apply(range.type as CelType);
    this.#scopes.push(new Map([[accumulator, initialType]]));
    const [first, second] = this.#variableTypes(rangeType, range.offset, variable2 !== undefined);
    this.#scopes.push(new Map([[variable, first]]));
    if (variable2 !== undefined) this.#scopes.at(-1)?.set(variable2, second);
    this.#assert(condition, boolType);
    this.#assert(step, initialType);
    this.#scopes.pop();
    const type = this.check(result);
    this.#scopes.pop();
    return this.#bound.apply(type);
  }

  #assert(part: CelExpression, type: CelType): void {
    const found = this.check(part);
    if (!this.#bound.isAssignable(type, found)) this.#mismatch(part.offset, type, found);
  }

  #variableTypes(range: CelType, offset: number, hasTwo: boolean): [CelType, CelType] {
    switch (range.kind) {
      case 'list':
        return hasTwo ? [intType, range.item] : [range.item, range.item];
      case 'map':
        return [range.key, range.value];
      case 'dyn':
      case 'error':
      case 'param':
        this.#bound.isAssignable(dynType, range);
        return [dynType, dynType];
      default:
        this.#issue(
          offset,
          `expression of type '${showType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return [errorType, errorType];
    }
  }
}

function typeOfLiteral(value: unknown): CelType {
  switch (typeof value) {
    case 'boolean':
      return boolType;
    case 'bigint':
      return intType;
    case 'number':
      return doubleType;
    case 'string':
      return stringType;
    default:
      return value === null ? nullType : value instanceof CelUint ? uintType : bytesType;
  }
}
