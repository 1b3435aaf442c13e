import { isOutOfStack } from '@waygate/text';
import { baseLibrary } from '../lua/base-library.ts';
import { stringFunctions } from '../lua/lua-strings.ts';
import { readOnlyTable } from '../lua/lua-table.ts';
import { LuaProblem } from '../lua/lua-token.ts';
import {
  type LuaBudget,
  LuaFailure,
  type LuaFunction,
  type LuaTable,
  type LuaValue,
} from '../lua/lua-value.ts';
import { compileProgram } from '../lua/program-compiler.ts';
import { parseExpression } from '../lua/program-parser.ts';
import type { LocalVariable, ProgramCall, ProgramExpression } from '../lua/program-syntax.ts';

const worldNames = ['headers', 'query_params', 'uri_captures', 'shared'] as const;

/** What the expressions of a template can see of the request. */
export type LuaWorld = Readonly<Record<(typeof worldNames)[number], LuaTable>>;

const { type, tostring, tonumber } = baseLibrary;
const string = readOnlyTable(
  Object.fromEntries([...stringFunctions].map(([name, { run }]) => [name, run])),
);
/** What an expression may name besides the request and its own locals, as in Kong. */
const library: Readonly<Record<string, LuaValue>> = { type, tostring, tonumber, string };
const globals = readOnlyTable(library);

/** One expression of Lua between `$(` and `)`. It keeps nothing from one request to the next. */
export class TemplateExpression {
  readonly #run: LuaFunction;

  /** @throws LuaProblem if it is none, or uses what would fail whenever it runs */
  constructor(source: string) {
    const { body, globals: names, calls, assigned } = parseExpression(source, worldNames);
    for (const name of names.keys()) {
      if (!Object.hasOwn(library, name)) throw new LuaProblem(`the name '${name}' is not known`);
    }
    for (const call of calls) checkCall(call);
    for (const target of assigned) checkAssigned(target, body.parameters);
    this.#run = compileProgram(body, globals, 'template');
  }

  /**
   * Its first value for one request.
   *
   * @throws LuaFailure if it fails, or costs too much
   */
  value(world: LuaWorld, budget: LuaBudget): LuaValue {
    try {
      return this.#run(
        worldNames.map((name) => world[name]),
        budget,
      )[0];
    } catch (error) {
      // Deep expressions in deep calls are more than the stack of this process holds.
      if (isOutOfStack(error)) throw new LuaFailure('stack overflow');
      throw error;
    }
  }
}

/** A function that there is not, and a pattern or format that stands in the template itself. */
function checkCall({ callee, method, args }: ProgramCall): void {
  const name = method ?? stringFunctionOf(callee);
  if (name === undefined) return;
  const known = stringFunctions.get(name);
  if (known === undefined) throw new LuaProblem(`the function '${name}' is not known`);
  const given = method === undefined ? args : [callee, ...args];
  const problem = known.check?.(given.map(literalOf));
  if (problem !== undefined) throw new LuaProblem(problem);
}

function stringFunctionOf(callee: ProgramExpression): string | undefined {
  if (callee.kind !== 'index' || callee.key.kind !== 'constant') return undefined;
  const { from, key } = callee;
  return from.kind === 'global' && from.name === 'string' ? String(key.value) : undefined;
}

function literalOf(argument: ProgramExpression): LuaValue {
  const plain = argument.kind === 'single' ? argument.of : argument;
  return plain.kind === 'constant' ? plain.value : undefined;
}

/** A template reads the request and changes nothing of it; its own locals are its own, whatever they are called. */
function checkAssigned(target: ProgramExpression, world: readonly LocalVariable[]): void {
  const owner = ownerOf(target);
  if (owner.kind === 'global') throw new LuaProblem(`'${owner.name}' cannot be changed`);
  if (owner.kind !== 'local' && owner.kind !== 'upvalue') return;
  const { variable } = owner;
  if (world.includes(variable)) throw new LuaProblem(`'${variable.name}' cannot be changed`);
}

/** What a field, or a field of a field, is of. */
function ownerOf(target: ProgramExpression): ProgramExpression {
  return target.kind === 'index' ? ownerOf(target.from) : target;
}
