import { isOutOfStack } from '@waygate/text';
import { baseLibrary, tableLibrary } from './base-library.ts';
import { boxesOf } from './lua-frame.ts';
import { stringFunctions } from './lua-strings.ts';
import { LuaTableValue, readOnlyTable } from './lua-table.ts';
import { LuaProblem } from './lua-token.ts';
import {
  type LuaBudget,
  LuaFailure,
  type LuaFunction,
  type LuaTable,
  type LuaValue,
} from './lua-value.ts';
import { bitLibrary, mathLibrary } from './number-library.ts';
import { compileProgram } from './program-compiler.ts';
import { parseProgram } from './program-parser.ts';
import type { FunctionBody } from './program-syntax.ts';

const longestProgram = 256 * 1_024;

/** What a program may keep between requests. */
const keptLimit = 8 * 1_024 * 1_024;

/** Names of Lua that reach out of it; a program that uses one is refused before it runs. */
const missing: ReadonlySet<string> = new Set([
  ...['require', 'module', 'package', 'io', 'debug', 'load', 'loadstring', 'loadfile', 'dofile'],
  ...['getfenv', 'setfenv', 'collectgarbage', 'coroutine', 'ffi', 'jit', 'newproxy'],
]);

/** The name that errors call a text by, as LuaJIT makes it: up to its first control character, shortened. */
function chunkName(source: string): string {
  const bytes = Buffer.from(source, 'utf8').toString('latin1');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a line ends at any of them.
  const [shown = ''] = /^[^\x00-\x1f]{0,48}/.exec(bytes) ?? [];
  return `[string "${shown.length === bytes.length ? shown : `${shown.slice(0, 45)}...`}"]`;
}

/**
 * What is wrong with a program, in Lua's words; undefined if nothing is.
 *
 * ```ts
 * programProblem('local x = '); // [string "local x = "]:1: unexpected symbol near '<eof>'
 * ```
 */
export function programProblem(source: string): string | undefined {
  try {
    readProgram(source);
    return undefined;
  } catch (error) {
    if (error instanceof LuaProblem) return `${chunkName(source)}:${error.line}: ${error.message}`;
    throw error;
  }
}

function readProgram(source: string): FunctionBody {
  const bytes = Buffer.from(source, 'utf8').toString('latin1');
  if (bytes.length > longestProgram) {
    throw new LuaProblem(`it is longer than ${longestProgram} bytes`, 1);
  }
  const { body, globals } = parseProgram(bytes);
  for (const [name, line] of globals) {
    if (missing.has(name)) throw new LuaProblem(`this gateway's Lua has no '${name}'`, line);
  }
  return body;
}

/** The libraries that all programs see and none can change. */
function sharedLibraries(random: () => number): Readonly<Record<string, LuaValue>> {
  const functions = [...stringFunctions].map(([name, { run }]) => [name, run] as const);
  return {
    ...baseLibrary,
    string: readOnlyTable(Object.fromEntries(functions)),
    table: readOnlyTable(tableLibrary),
    math: readOnlyTable(mathLibrary(random)),
    bit: readOnlyTable(bitLibrary),
  };
}

/** The globals of one program: its own, over those of the libraries. */
class Globals extends LuaTableValue {
  readonly #shared: ReadonlyMap<string, LuaValue>;
  /** What a program took from itself; others still have it. */
  readonly #removed = new Set<LuaValue>();

  constructor(shared: Readonly<Record<string, LuaValue>>) {
    super();
    this.#shared = new Map(Object.entries(shared));
  }

  override put(key: LuaValue, value: LuaValue): void {
    super.put(key, value);
    if (value === undefined) this.#removed.add(key);
    else this.#removed.delete(key);
  }

  override get(key: LuaValue): LuaValue {
    const own = super.get(key);
    if (own !== undefined || this.#removed.has(key)) return own;
    return key === '_G' ? this : this.#shared.get(key as string);
  }
}

/**
 * A program that runs again and again, and keeps what it put into its globals and locals in between. If it
 * returns a function, that function is what runs from then on, as in Kong's functions.
 */
export class LuaProgram {
  readonly #body: FunctionBody;
  readonly #chunk: string;
  readonly #libraries: Readonly<Record<string, LuaValue>>;
  #globals: LuaTable;
  #main: LuaFunction;
  #function: LuaFunction | undefined;
  #madeBytes = 0;

  /** @throws LuaProblem if it is not understood */
  constructor(
    source: string,
    libraries: Readonly<Record<string, LuaValue>>,
    random: () => number = Math.random,
  ) {
    this.#body = readProgram(source);
    this.#chunk = chunkName(source);
    this.#libraries = { ...sharedLibraries(random), ...libraries };
    this.#globals = new Globals(this.#libraries);
    this.#main = compileProgram(this.#body, this.#globals, this.#chunk);
  }

  /**
   * Runs it, and gives what it returns.
   *
   * @throws LuaFailure if it fails, or costs too much
   */
  run(budget: LuaBudget): readonly LuaValue[] {
    const before = budget.taken;
    try {
      if (this.#function !== undefined) return this.#function([], budget);
      const values = this.#main([], budget);
      if (typeof values[0] !== 'function') return values;
      this.#function = values[0];
      return this.#function([], budget);
    } catch (error) {
      // Deep expressions in deep calls are more than the stack of this process holds.
      if (isOutOfStack(error)) throw new LuaFailure('stack overflow');
      throw error;
    } finally {
      this.#madeBytes += budget.taken - before;
      if (this.#madeBytes > keptLimit) this.#forgetIfLarge();
    }
  }

  /** What is made is mostly thrown away: only when much was made is what is left measured. */
  #forgetIfLarge(): void {
    this.#madeBytes = 0;
    const roots: LuaValue[] = [this.#globals, this.#function];
    if (keptBytes(roots, keptLimit) < keptLimit) return;
    this.#globals = new Globals(this.#libraries);
    this.#main = compileProgram(this.#body, this.#globals, this.#chunk);
    this.#function = undefined;
  }
}

/** How much values keep alive; counting ends at a limit. */
function keptBytes(roots: readonly LuaValue[], limit: number): number {
  const seen = new Set<LuaValue>();
  const waiting = [...roots];
  let bytes = 0;
  while (waiting.length > 0 && bytes < limit) {
    const value = waiting.pop();
    if (typeof value === 'string') bytes += value.length;
    if ((typeof value !== 'object' && typeof value !== 'function') || seen.has(value)) continue;
    seen.add(value);
    bytes += 64;
    if (typeof value === 'function') {
      for (const box of boxesOf(value)) waiting.push(box.value);
    } else if (value instanceof LuaTableValue) {
      for (const entry of value.entries()) waiting.push(...entry);
      waiting.push(value.metatable);
    }
  }
  return bytes;
}
