import {
  type CelDeclarations,
  CelFailure,
  type CelProgram,
  type CelType,
  celTypes,
  compileCel,
} from '@waygate/text';
import { type AdmissionScope, admissionDeclarations } from './admission-declarations.ts';
import { makeMutationValue } from './mutation-types.ts';

const { dynType, showType, structType } = celTypes;

/** A variable that a policy defines for its other expressions. */
export interface Variable {
  readonly name: string;
  readonly expression: string;
}

/** The variables that a policy defines, by their types. */
export type VariableTypes = ReadonlyMap<string, CelType>;

/** An expression of a policy or webhook, ready to run. */
interface AdmissionExpression {
  readonly program: CelProgram;
  readonly type: CelType;
}

const cache = new Map<string, AdmissionExpression | CelFailure>();
/** Policies come and go: what was compiled once must not stay for ever. */
const maxCached = 10_000;

/**
 * Compiles an expression, or says what is wrong with it. `wanted` are the types that it may come to;
 * none when any will do. Without `variables` there is nothing of that name, as in a policy that defines none.
 */
export function compileAdmission(
  text: string,
  scope: AdmissionScope,
  wanted: readonly string[] = [],
  variables?: VariableTypes,
): AdmissionExpression | CelFailure {
  const named = variables && [...variables].map(([name, type]) => `${name}:${showType(type)}`);
  const key = JSON.stringify([text, scope, wanted, named]);
  let found = cache.get(key);
  if (found === undefined) {
    found = compile(text, declarationsOf(scope, variables), wanted);
    if (cache.size >= maxCached) cache.clear();
    cache.set(key, found);
  }
  return found;
}

/** The types of a policy's variables; each may use those before it. */
export function variableTypes(
  variables: readonly Variable[],
  scope: AdmissionScope,
  before?: string,
): VariableTypes {
  const types = new Map<string, CelType>();
  for (const { name, expression } of variables) {
    if (name === before) break;
    const compiled = compileAdmission(expression, scope, [], types);
    types.set(name, compiled instanceof CelFailure ? dynType : compiled.type);
  }
  return types;
}

function declarationsOf(
  scope: AdmissionScope,
  variables: VariableTypes | undefined,
): CelDeclarations {
  const all = admissionDeclarations(scope);
  if (variables === undefined) return all;
  return all.with({ variables: structType('kubernetes.variables', variables) });
}

function compile(
  text: string,
  declarations: CelDeclarations,
  wanted: readonly string[],
): AdmissionExpression | CelFailure {
  const checked = compileCel(text, declarations);
  if ('issues' in checked) return new CelFailure(`compilation failed: ${checked.issues}`);
  const type = showType(checked.type).replace(/^null$/, 'null_type');
  if (wanted.length > 0 && !wanted.includes(type)) {
    const choice = wanted.length === 1 ? wanted[0] : `one of [${wanted.join(' ')}]`;
    return new CelFailure(`must evaluate to ${choice} but got ${type}`);
  }
  const program = checked.program(declarations, makeMutationValue);
  return program instanceof CelFailure
    ? new CelFailure(`program instantiation failed: ${program.message}`)
    : { program, type: checked.type };
}
