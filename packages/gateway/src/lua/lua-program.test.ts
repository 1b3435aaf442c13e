import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LuaProgram, programProblem } from './lua-program.ts';
import { LuaBudget, LuaExhausted, LuaFailure, type LuaValue, toText } from './lua-value.ts';

const limits = { steps: 300_000, bytes: 1_048_576, depth: 150, what: 'the functions of a test' };

function run(source: string): readonly LuaValue[] {
  return new LuaProgram(source, {}).run(new LuaBudget(limits));
}

function shown(source: string): string {
  return run(source).map(toText).join(' ');
}

// What Lua 5.1 says to each.
const programs: readonly (readonly [string, string])[] = [
  ['return 1 + 2 * 3, "a" .. "b" .. 1', '7 ab1'],
  ['return 10 / 2, 7 % -3, 2 ^ 0.5 * 2 ^ 0.5', '5 -2 2'],
  ['local a, b, c = 1, 2 return a, b, c', '1 2 nil'],
  ['local a, b = (function() return 1, 2, 3 end)() return a, b', '1 2'],
  ['return (select("#", (function() return 1, 2 end)()))', '2'],
  ['return #{1, 2, 3}, #{n = 1}, ({10, 20})[2]', '3 0 20'],
  ['local t = {} t.a = {b = {c = 5}} t.a.b.c = t.a.b.c + 1 return t.a.b.c', '6'],
  ['local t = {x = 1, ["y z"] = 2, [3] = 4, 9} return t.x, t["y z"], t[3], t[1]', '1 2 4 9'],
  ['local s = 0 for i = 10, 1, -3 do s = s + i end return s', '22'],
  ['local s = "" for i, v in ipairs({"a", "b", nil, "d"}) do s = s .. i .. v end return s', '1a2b'],
  ['local n = 0 for k, v in pairs({a = 1, b = 2, 3}) do n = n + v end return n', '6'],
  ['local t = {1, 2, 3, a = 4} for k in pairs(t) do t[k] = nil end return next(t)', 'nil'],
  ['local i = 0 repeat local j = i i = i + 1 until j >= 3 return i', '4'],
  ['local i = 0 while true do i = i + 1 if i > 5 then break end end return i', '6'],
  [
    'local fs = {} for i = 1, 3 do fs[i] = function() return i end end return fs[1](), fs[3]()',
    '1 3',
  ],
  [
    'local function c() local n = 0 return function() n = n + 1 return n end end local a, b = c(), c() a() return a(), b()',
    '2 1',
  ],
  [
    'local function f(a, ...) return select("#", ...), a, ... end return f(1, nil, nil)',
    '2 1 nil nil',
  ],
  [
    'local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end return fib(12)',
    '144',
  ],
  ['x = 5 local function f() return x end x = 6 return f(), _G.x', '6 6'],
  [
    'local o = {n = 2} function o:double() return self.n * 2 end function o.half(v) return v / 2 end return o:double(), o.half(3)',
    '4 1.5',
  ],
  [
    'local C = {} C.__index = C function C.new(v) return setmetatable({v = v}, C) end function C:get() return self.v end return C.new(7):get()',
    '7',
  ],
  [
    'local t = setmetatable({}, {__index = function(_, k) return k .. "!" end}) return t.hi, rawget(t, "hi")',
    'hi! nil',
  ],
  [
    'local log = {} local t = setmetatable({}, {__newindex = function(_, k, v) log[1] = k .. v end}) t.a = 1 return log[1], t.a',
    'a1 nil',
  ],
  [
    'local m = {__add = function(a, b) return a.v + b.v end, __eq = function() return true end, __lt = function(a, b) return a.v < b.v end, __concat = function() return "cat" end, __call = function(_, x) return x end, __unm = function() return "neg" end, __tostring = function() return "shown" end} local a, b = setmetatable({v = 1}, m), setmetatable({v = 2}, m) return a + b, a == b, a < b, a .. "x", a(9), -a, tostring(a)',
    '3 true true cat 9 neg shown',
  ],
  ['return pcall(error, "x", 0)', 'false x'],
  ['local ok, e = pcall(function() error({code = 7}) end) return ok, e.code', 'false 7'],
  [
    'local ok, e = pcall(function() local t = nil return t.x end) return e',
    '[string "local ok, e = pcall(function() local t = nil ..."]:1: attempt to index local \'t\' (a nil value)',
  ],
  [
    'local ok, e = pcall(function()\n\n nothing() end) return e',
    '[string "local ok, e = pcall(function()..."]:3: attempt to call global \'nothing\' (a nil value)',
  ],
  ['return xpcall(function() error("a", 0) end, function(e) return e .. "b" end)', 'false ab'],
  ['return pcall(assert, false, "no")', 'false no'],
  ['return tostring(1e15), tostring(0.1), tostring(-0.0), 1e300 * 1e10', '1e+15 0.1 0 inf'],
  ['return tonumber("0x10"), tonumber("10", 2), tonumber("z", 36), tonumber("x")', '16 2 35 nil'],
  ['local t = {3, 1, 2} table.sort(t) return table.concat(t, ",")', '1,2,3'],
  [
    'local t = {3, 1, 2} table.sort(t, function(a, b) return a > b end) return table.concat(t, ",")',
    '3,2,1',
  ],
  [
    'local t = {"a", "c"} table.insert(t, 2, "b") table.insert(t, "d") return table.concat(t), table.remove(t), table.remove(t, 1), #t',
    'abcd d a 2',
  ],
  ['return unpack({1, 2, 3}, 2)', '2 3'],
  [
    'local out = {} for k, v in ("a=1, b=2"):gmatch("(%w+)=(%w+)") do out[#out + 1] = k .. v end return table.concat(out, " ")',
    'a1 b2',
  ],
  ['return ("x"):rep(3), #"abc", ("Hello"):upper(), ("a,b"):find(",", 1, true)', 'xxx 3 HELLO 2 2'],
  ['return ("%5.2f|%d|%s|%q"):format(3.14159, 42, "x", "y")', ' 3.14|42|x|"y"'],
  [
    'return math.floor(3.7), math.max(1, 5, 3), math.huge, math.fmod(7, 3), math.pi > 3',
    '3 5 inf 1 true',
  ],
  [
    'return bit.band(12, 10), bit.bor(12, 10), bit.bxor(12, 10), bit.lshift(1, 4), bit.tohex(255), bit.bnot(0)',
    '8 14 6 16 000000ff -1',
  ],
  [
    'for i = 1, 3 do for j = 1, 3 do if j == 2 then goto continue end if i == 2 then return i, j end ::continue:: end end',
    '2 1',
  ],
  ['do local i = 1 ::top:: i = i + 1 if i < 5 then goto top end return i end', '5'],
  ['local s = [[\nline\n]] return #s -- a comment\n', '5'],
  ['--[==[ long\ncomment ]==] return 1;', '1'],
  ['return not nil, not 0, nil == false, 1 == 1.0, "1" == 1', 'true false false true false'],
  ['return "10" + 5, 10 .. "", "abc" < "abd"', '15 10 true'],
  [
    'return type(nil), type(1), type("x"), type({}), type(print), type(type)',
    'nil number string table nil function',
  ],
  [
    'local t = {f = function(...) return ... end} return t.f "x", t.f {1} ~= nil, (t.f(1, 2))',
    'x true 1',
  ],
  ['local a = {} a.b, a.c = 1, 2 local i = 1 i, a[i] = i + 1, 20 return i, a[1], a[2]', '2 20 nil'],
];

describe('programs', () => {
  test.each(programs)('%s', (source, expected) => {
    expect(shown(source)).toBe(expected);
  });

  test('one that returns a function has that function run from then on, and keeps its locals', () => {
    const program = new LuaProgram('local n = 0 return function() n = n + 1 return n end', {});
    expect([1, 2, 3].map(() => program.run(new LuaBudget(limits))[0])).toEqual([1, 2, 3]);
  });

  test('what one keeps without end is forgotten before it fills the memory', () => {
    const source =
      'local kept, n = {}, 0 return function() n = n + 1 for i = 1, 1000 do kept[n * 1000 + i] = ("x"):rep(500) .. i end return n end';
    const program = new LuaProgram(source, {});
    const counts = Array.from(
      { length: 40 },
      () => program.run(new LuaBudget({ ...limits, bytes: 8_388_608 }))[0],
    );
    expect(Math.max(...(counts as number[]))).toBeLessThan(30);
    const light = new LuaProgram(
      'local n = 0 return function() n = n + 1 local s = ("x"):rep(500000) return n end',
      {},
    );
    const rounds = Array.from({ length: 60 }, () => light.run(new LuaBudget(limits))[0]);
    expect(rounds.at(-1)).toBe(60);
  });

  test('programs do not see the globals of others, and cannot change the libraries', () => {
    run('leak = 1 string_upper = string.upper');
    expect(shown('return leak')).toBe('nil');
    expect(() => run('string.upper = nil')).toThrow('this table cannot be changed');
    expect(() => run('table.insert = print')).toThrow('this table cannot be changed');
    expect(() => run('setmetatable(string, {})')).toThrow('table expected');
    expect(shown('pcall = nil return type(pcall)')).toBe('nil');
    expect(shown('return type(pcall)')).toBe('function');
    expect(shown('return getmetatable("")')).toBe('nil');
  });
});

describe('what is refused', () => {
  test.each([
    ['syntax error here', `[string "syntax error here"]:1: '=' expected near 'error'`],
    ['local x = ', `[string "local x = "]:1: unexpected symbol near '<eof>'`],
    ['if x then', `[string "if x then"]:1: 'end' expected near '<eof>'`],
    ['\nreturn require("os")', `[string "..."]:2: this gateway's Lua has no 'require'`],
    ['io.popen("id")', `[string "io.popen("id")"]:1: this gateway's Lua has no 'io'`],
    [
      'local f = loadstring',
      `[string "local f = loadstring"]:1: this gateway's Lua has no 'loadstring'`,
    ],
    ['debug.sethook()', `[string "debug.sethook()"]:1: this gateway's Lua has no 'debug'`],
    ['break', `[string "break"]:1: no loop to break near '<eof>'`],
    ['x = = 1', `[string "x = = 1"]:1: unexpected symbol near '='`],
    ['f() = 1', `[string "f() = 1"]:1: syntax error near '1'`],
    ['\x1bLua', `[string "..."]:1: '\x1b' is not understood`],
  ])('%s', (source, problem) => {
    expect(programProblem(source)).toBe(problem);
  });

  test('names that only look like those are not', () => {
    expect(
      programProblem('local load = 1 local t = {io = 2} t.debug = t.io return load'),
    ).toBeUndefined();
  });
});

describe('what costs too much ends, and cannot be caught', () => {
  test.each([
    'while true do end',
    'repeat until false',
    '::a:: goto a',
    'for i = 1, math.huge do end',
    'while true do pcall(function() while true do end end) end',
    'local function f() return f() + 1 end return f()',
    'local function f() return pcall(f) end return f()',
    'local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k] end return t.x',
    'local s = "x" while true do s = s .. s end',
    'return ("x"):rep(1e9)',
    'local t = {} while true do t[#t + 1] = {} end',
    'local t = {} for i = 1, 1e9 do t["k" .. i] = i end',
    'return (("a"):rep(3000)):match(".-.-.-.-.-b")',
    'return (("a"):rep(3000)):gsub("a*a*a*a*b", "")',
    'local t = {} for i = 1, 5000 do t[i] = i end while true do table.sort(t, function() return true end) end',
    'local t = {} for i = 1, 9000 do t[i] = "x" end while true do table.concat(t) end',
    'while true do table.insert({}, 1, 1) end',
    'string.format(("%99d"):rep(10000), unpack({}))',
  ])('%s', (source) => {
    expect(() => run(source)).toThrow(LuaFailure);
  });

  test('a limit that was caught would not be one', () => {
    expect(() => run('pcall(function() while true do end end) return 1')).toThrow(LuaExhausted);
  });

  test('deep nesting is refused or fails, whatever nests', () => {
    for (const [open, close] of [
      ['(', ')'],
      ['{', '}'],
      ['- ', ''],
      ['not ', ''],
      ['f(', ')'],
    ] as const) {
      const source = `return ${open.repeat(5_000)}1${close.repeat(5_000)}`;
      expect(programProblem(source)).toContain('too many syntax levels');
    }
    for (const chain of ['a.', 'a()().', '1 + ', '"x" .. ']) {
      expect(programProblem(`return ${chain.repeat(20_000)}b`)).toContain('too many syntax levels');
    }
  });

  test('no text does anything but run, fail or be refused', () => {
    const word = fc.constantFrom(
      ...[
        'local x =',
        'x',
        'return',
        'function f()',
        'end',
        'if',
        'then',
        'else',
        'for i = 1, 3 do',
      ],
      ...[
        'for k in pairs(t) do',
        't = {}',
        't',
        '[1]',
        '.a',
        ':b()',
        '()',
        '{',
        '}',
        '=',
        '..',
        '+',
      ],
      ...[
        '"s"',
        '1',
        'nil',
        'goto l',
        '::l::',
        'break',
        '...',
        'pcall(',
        ')',
        ',',
        'string.',
        'rep',
      ],
      ...['while x do', 'repeat', 'until x', 'setmetatable(t, t)', 'error(', '#', '-', 'not', '_G'],
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 25 }), (words) => {
        const source = words.join(' ');
        if (programProblem(source) !== undefined) return;
        try {
          run(source);
        } catch (error) {
          expect(error).toBeInstanceOf(LuaFailure);
        }
      }),
      { numRuns: 3_000 },
    );
  });
});
