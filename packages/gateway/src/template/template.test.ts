import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LuaBudget, LuaFailure, type LuaTable, type LuaValue } from '../lua/lua-value.ts';
import { Template, templateProblem } from './template.ts';
import type { LuaWorld } from './template-expression.ts';

function table(values: Readonly<Record<string, LuaValue>>): LuaTable {
  return {
    get: (key) => (Object.hasOwn(values, String(key)) ? values[String(key)] : undefined),
    length: Object.keys(values).length,
  };
}

const world: LuaWorld = {
  headers: table({
    host: 'example.com',
    authorization: 'dXNlcjpwYXNz',
    'x-name': 'Ann Lee',
    twice: table({ 1: 'a', 2: 'b' }),
    empty: '',
    long: 'a'.repeat(8_000),
  }),
  query_params: table({ user: 'joe', flag: true, n: '41' }),
  uri_captures: table({ 1: '/rest', 'user-id': '7', id: '9' }),
  shared: table({ plan: 'gold', level: 3 }),
};

function render(text: string): string {
  return Template.compile(text).render(world, new LuaBudget());
}

// What Lua 5.1 makes of each, as Kong's templates show it: nil and false are nothing.
const rows: readonly (readonly [string, string])[] = [
  ['plain', 'plain'],
  ['$', '$'],
  ['costs $5 (or so)', 'costs $5 (or so)'],
  ['left $(open', 'left $(open'],
  ['$(headers.host)', 'example.com'],
  ["$(headers['x-name'])!", 'Ann Lee!'],
  ['$(query_params.user)/$(uri_captures.id)', 'joe/9'],
  ['$(uri_captures["user-id"] or query_params["user"] or "unknown")', '7'],
  ['$(uri_captures[2] or query_params.nobody or "unknown")', 'unknown'],
  ['$(headers.empty or "x")', ''],
  ['$(headers.none)', ''],
  ['$(nil)$(false)$(true)', 'true'],
  ['$(query_params.flag)', 'true'],
  ['$(shared.plan)-$(shared.level + 1)', 'gold-4'],
  ['$(headers.twice)', 'a, b'],
  ['$(type(headers.twice) == "table" and headers.twice[2])', 'b'],
  ['$(type(headers.none))', 'nil'],
  // What the translator emits.
  ['$(uri_captures[1] == nil and "/" or uri_captures[1])', '/rest'],
  ['$(uri_captures[2] == nil and "/" or uri_captures[2])', '/'],
  ['/new$(uri_captures[2] == nil and "" or "/" .. uri_captures[2])', '/new'],
  // Operators and how they bind.
  ['$(1 + 2 * 3 ^ 2)', '19'],
  ['$(2 ^ 3 ^ 2)', '512'],
  ['$(-2 ^ 2)', '-4'],
  ['$(7 % 3)$(-7 % 3)', '12'],
  ['$(1 / 3)', '0.33333333333333'],
  ['$(1e15)$(0x1F)$(.5)', '1e+15310.5'],
  ['$(1 .. 2 .. "x")', '12x'],
  ['$("a" .. "b" == "ab")', 'true'],
  ['$(not nil == true)', 'true'],
  ['$(1 == "1")', ''],
  ['$("a" < "b" and 2 >= 2 and 1 ~= 2)', 'true'],
  ['$(#"four" .. #headers.twice)', '42'],
  ['$("10" + 5)', '15'],
  ['$(nil and 1 or 2)', '2'],
  ['$(false or nil)', ''],
  // Texts.
  ['$("a\\tb\\65\\x42")', 'a\tbAB'],
  ["$('it\\'s' .. [[ [x] ]] .. [==[]]]==])", "it's [x] ]]"],
  ['$(1 --[[ one ]] + 1 -- two\n)', '2'],
  ['é$("é")', 'Ã©Ã©'],
  // The library.
  ['$(headers.host:sub(1, 7))', 'example'],
  ['$(headers.host:sub(-3))', 'com'],
  ['$(headers.host:sub(3, 2))$(headers.host:sub(0, 1))', 'e'],
  ['$(headers["x-name"]:upper():lower():len())', '7'],
  ['$(("ab"):rep(3))$(("x"):rep(0))$(("abc"):reverse())', 'abababcba'],
  ['$(string.upper("x") .. string.len("abc"))', 'X3'],
  ['$(("a"):byte() .. string.char(66))', '97B'],
  ['$(tonumber(query_params.n) + 1)', '42'],
  ['$(tonumber("ff", 16))$(tonumber("x"))$(tonumber("  0x10 "))', '25516'],
  ['$(tostring(nil) .. tostring(1.5))', 'nil1.5'],
  ['$(("%s=%d %05.1f %x %q %%"):format("a", 3, 2.25, 255, "b"))', 'a=3 002.3 ff "b" %'],
  ['$(("%-4s|%4s|"):format("a", "b"))', 'a   |   b|'],
  ['$((headers.host:gsub("%.", "-")))', 'example-com'],
  ['$(headers.host:gsub("o", "0", 1))', 'example.c0m'],
  ['$((("abc"):gsub("%w", "%0%0")))', 'aabbcc'],
  ['$((("hello world"):gsub("(%w+) (%w+)", "%2 %1")))', 'world hello'],
  ['$((("abc"):gsub("", "-")))', '-a-b-c-'],
  ['$((("abc"):gsub("b*", "-")))', '-a--c-'],
  ['$((("$name"):gsub("%$(%w+)", function(n) return n:upper() end)))', 'NAME'],
  ['$(headers["x-name"]:match("^(%a+)"))', 'Ann'],
  ['$(headers["x-name"]:match("%s(.-)$"))', 'Lee'],
  ['$(("key = value"):match("^(%w+)%s*=%s*(%w+)$"))', 'key'],
  ['$(("f(a(b)c)d"):match("%b()"))', '(a(b)c)'],
  ['$(("THE (quick) fox"):find("%((%a+)%)"))', '5'],
  ['$(("a.b"):find(".", 1, true))', '2'],
  ['$(("x"):match("()x()"))', '1'],
  ['$(("[[x]]"):match("[]]+"))', ']]'],
  ['$(("a-b"):match("[a%-]+"))', 'a-'],
  ['$(("abab"):match("^(ab)%1$"))', 'ab'],
  ['$(("THE (quick) fox"):match("%f[%l]%l+"))', 'quick'],
  ['$(("aaa"):match("a-$") .. ("aab"):match("a?b"))', 'aaaab'],
  // A function that is called on the spot, as Kong documents it.
  [
    '$((function() local value = headers.authorization if not value then return end if value:sub(1, 6) == "Basic " then return value end return "Basic " .. value end)())',
    'Basic dXNlcjpwYXNz',
  ],
  [
    '$((function() local n = 0 for i = 1, 10 do if i > 4 then break end n = n + i end return n end)())',
    '10',
  ],
  [
    '$((function(a, b) local c; if a == b then c = 1 elseif a then c = 2 else c = 3 end; return c, 9 end)(1, nil))',
    '2',
  ],
  [
    '$((function() local i = 0 while true do i = i + 1 if i == 3 then return i end end end)())',
    '3',
  ],
  ['$((function() local x = 1 do local x = 2 end return x end)())', '1'],
  [
    '$((function() local function f(n) return n < 2 and 1 or n * f(n - 1) end return f(5) end)())',
    '120',
  ],
  // All of the language, not only what an expression needs.
  [
    '$((function() local t = {"a", x = 1} t.y = 2 local n = t.x repeat n = n + t.y until n > 4 return t[1] .. n end)())',
    'a5',
  ],
  ['$((function(...) local a, b = ... return b end)(1, 2))', '2'],
  // Locals are their own, also those that are called as something else is.
  ['$((function() local type = 1 type = 2 return type end)())', '2'],
  ['$((function() local headers = {} headers.x = "y" return headers.x end)())', 'y'],
  [
    '$((function() local shared = 1 local function f() shared = 3 end f() return shared end)())',
    '3',
  ],
  ['$((function() local toString = 1 toString = 2 return toString end)())', '2'],
];

describe('templates', () => {
  test.each(rows)('%s', (text, expected) => {
    expect(render(text)).toBe(expected);
  });

  test.each(
    [
      ['$()', "unexpected symbol near '<eof>'"],
      ['$(kong.request.get_path())', "the name 'kong' is not known"],
      ['$(os.execute("x"))', "the name 'os' is not known"],
      ['$(headers.host:dump())', "the function 'dump' is not known"],
      ['$(string.load("x"))', "the function 'load' is not known"],
      ['$(1 +)', "unexpected symbol near '<eof>'"],
      ['$("a)', 'a text is not closed'],
      ['$(a.b.c)', "the name 'a' is not known"],
      ['$(headers host)', "'<eof>' expected near 'host'"],
      ['$(1, 2)', "'<eof>' expected near ','"],
      ['$(1 end)', "'<eof>' expected near 'end'"],
      ['$((function() return 1)())', "'end' expected near ')'"],
      ['$((function() headers.x = 1 end)())', "'headers' cannot be changed"],
      [
        '$((function() return (function() headers.x = 1 end)() end)())',
        "'headers' cannot be changed",
      ],
      ['$((function() string.x = 1 end)())', "'string' cannot be changed"],
      ['$((function() function tostring() end end)())', "'tostring' cannot be changed"],
      ['$((function() kept = 1 end)())', "the name 'kept' is not known"],
      ['$((function() for k, v in pairs(headers) do end end)())', "the name 'pairs' is not known"],
      ['$(headers.x:match("[a"))', "a pattern is malformed: a '[' is not closed"],
      ['$(headers.x:gsub("a%1", ""))', 'a pattern is malformed: no such capture'],
      ['$(("%y"):format(1))', "the format '%y' is not understood"],
      [`$(${'('.repeat(200)}1${')'.repeat(200)})`, 'chunk has too many syntax levels'],
      [`$(-${'not '.repeat(200)}1)`, 'chunk has too many syntax levels'],
      [`$("${'x'.repeat(70_000)}")`, 'it is longer than 65536 bytes'],
      ['$("a":upper())', "'<eof>' expected near ':'"],
      ['$("a" "b")', "'<eof>' expected near 'b'"],
      ['$(3x)', "'3' is no number"],
      ['$(@)', "'@' is not understood"],
    ].map(([text = '', problem]) => [text.slice(0, 60), text, problem]),
  )('%s is refused before it runs', (_, text = '', problem) => {
    expect(templateProblem(text)).toBe(problem);
  });

  test.each([
    ['$(headers.none.x)', "attempt to index field 'none' (a nil value)"],
    ['$("a" .. nil)', 'attempt to concatenate a nil value'],
    ['$(headers.twice:sub(1))', "attempt to call method 'sub' (a nil value)"],
    ['$(1 < "2")', 'attempt to compare number with string'],
    ['$((function() while true do end end)())', 'too many steps'],
    ['$((function() for i = 1, 0, 0 do end end)())', 'too many steps'],
    ['$(("x"):rep(1e9))', 'too long'],
    ['$(("x"):rep(1e400))', 'too long'],
    ['$((function() local s = "x" while true do s = s .. s end end)())', 'too long'],
    ['$((function() local function f() return f() end return f() end)())', 'too deeply'],
    ['$(headers.long:match(".-.-.-.-.-b"))', 'too many steps'],
    ['$((headers.long:gsub("a*a*a*a*b", "")))', 'too many steps'],
  ])('%s fails, and costs no more than it may', (text, message) => {
    expect(() => render(text)).toThrow(LuaFailure);
    expect(() => render(text)).toThrow(message);
  });

  test('what all templates of a request may cost is one budget', () => {
    const template = Template.compile('$(("a"):rep(1000))');
    const budget = new LuaBudget();
    const renderMany = () => {
      for (let round = 0; round < 2_000; round += 1) template.render(world, budget);
    };
    expect(renderMany).toThrow('too long');
  });

  test('no text does anything but render, fail or be refused', () => {
    const word = fc.constantFrom(
      ...['headers', '.host', ':gsub(', '"%w"', ',', '(', ')', '"', '..', 'and', 'or', 'nil', '1'],
      ...['function()', 'return', 'end', 'local x =', 'x', 'if', 'then', '[', ']', '#', '-', ' '],
    );
    const text = fc.array(fc.oneof(word, fc.string({ maxLength: 3 })), { maxLength: 20 });
    fc.assert(
      fc.property(text, (words) => {
        const source = `a$(${words.join(' ')})b`;
        if (templateProblem(source) !== undefined) return;
        try {
          expect(typeof render(source)).toBe('string');
        } catch (error) {
          expect(error).toBeInstanceOf(LuaFailure);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('patterns of Lua', () => {
  test('find the same as the regular expressions that they are', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '%a', '%d');
    const suffix = fc.constantFrom('', '*', '+', '?', '-');
    const items = fc.array(fc.tuple(atom, suffix), { minLength: 1, maxLength: 5 });
    const toRegExp = { '%a': '[A-Za-z]', '%d': '[0-9]', '.': '[^]' } as Record<string, string>;
    fc.assert(
      fc.property(items, fc.stringMatching(/^[ab1]{0,12}$/), (pattern, text) => {
        const lua = pattern.map(([one, count]) => one + count).join('');
        const source = pattern
          .map(([one, count]) => (toRegExp[one] ?? one) + (count === '-' ? '*?' : count))
          .join('');
        const found = new RegExp(source).exec(text);
        const expected = found === null ? 'none' : `${found.index + 1} ${found[0]}`;
        const template = `$((function() local s = ("${text}"):find("${lua}") if not s then return "none" end return s .. " " .. ("${text}"):match("${lua}") end)())`;
        expect(render(template)).toBe(expected);
      }),
      { numRuns: 1_000 },
    );
  });
});
