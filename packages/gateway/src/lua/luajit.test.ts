import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { LuaProgram, programProblem } from './lua-program.ts';
import { LuaTableValue } from './lua-table.ts';
import { LuaBudget, LuaFailure, type LuaFunction, type LuaValue, toText } from './lua-value.ts';

/** What LuaJIT 2.1 printed to each program, text by text; positions and all. */
interface Recorded {
  /** What the patterns are matched with. */
  readonly texts: readonly string[];
  /** A pattern as it stands in a program, and what each function makes of all texts with it. */
  readonly patterns: readonly (readonly [string, Readonly<Record<string, string>>])[];
  readonly programs: readonly (readonly [source: string, printed: string])[];
  /** Null for a program that can be read. */
  readonly problems: readonly (readonly [source: string, problem: string | null])[];
  /** What both refuse, in other words. */
  readonly refused: readonly string[];
}

const recorded = JSON.parse(
  readFileSync(new URL('testdata/luajit.json', import.meta.url), 'utf8'),
) as Recorded;

const limits = { steps: 1_000_000, bytes: 1_048_576, depth: 150, what: 'the functions of a test' };
const join: LuaFunction = (values) => [values.map(toText).join(',')];

function printed(source: string): string {
  const libraries: Record<string, LuaValue> = { T: LuaTableValue.of(recorded.texts), join };
  try {
    return new LuaProgram(source, libraries).run(new LuaBudget(limits)).map(toText).join(' ');
  } catch (error) {
    if (error instanceof LuaFailure) return `FAIL ${error.shown}`;
    throw error;
  }
}

const each = (call: string) =>
  `local o = {} for _, t in ipairs(T) do o[#o + 1] = join(${call}) end return table.concat(o, ";")`;
const uses: Readonly<Record<string, (pattern: string) => string>> = {
  find: (pattern) => each(`t:find(${pattern})`),
  gsub: (pattern) => each(`t:gsub(${pattern}, "<%0>")`),
  match: (pattern) => each(`t:match(${pattern}, 3)`),
  gmatch: (pattern) =>
    `local o = {} for _, t in ipairs(T) do for a, b in t:gmatch(${pattern}) do o[#o + 1] = join(a, b) end end return table.concat(o, ";")`,
};

describe('LuaJIT', () => {
  test.each(recorded.patterns)('finds the same with %s', (pattern, results) => {
    const ours = Object.keys(results).map((use) => [use, printed(uses[use]?.(pattern) ?? '')]);
    expect(Object.fromEntries(ours)).toEqual(results);
  });

  test('says the same to programs', () => {
    expect(recorded.programs.map(([source]) => [source, printed(source)])).toEqual(
      recorded.programs,
    );
  });

  test('says the same of what cannot be read', () => {
    const ours = recorded.problems.map(([source]) => [source, programProblem(source) ?? null]);
    expect(ours).toEqual(recorded.problems);
    expect(recorded.refused.filter((source) => programProblem(source) === undefined)).toEqual([]);
  });
});
