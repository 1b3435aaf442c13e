import { callValue } from '../../lua/lua-operators.ts';
import { LuaTableValue, readOnlyTable } from '../../lua/lua-table.ts';
import {
  expectNumber,
  expectText,
  isTrue,
  type LuaBudget,
  LuaFailure,
  type LuaFunction,
  type LuaTable,
  type LuaValue,
} from '../../lua/lua-value.ts';
import { type FoundPattern, findPattern } from './linear-pattern.ts';

function captureTable(found: FoundPattern): LuaTableValue {
  const table = LuaTableValue.from([[0, found.captures[0]]]);
  found.captures.slice(1).forEach((capture, index) => {
    table.put(index + 1, capture ?? false);
  });
  for (const [name, capture] of Object.entries(found.named)) table.put(name, capture ?? false);
  return table;
}

function flagsOf(options: LuaValue): string {
  return options === undefined ? '' : expectText(options, 'options');
}

const match: LuaFunction = ([subject, pattern, options, context], budget) => {
  const text = expectText(subject, 'match');
  const from =
    context instanceof LuaTableValue ? expectNumber(context.get('pos') ?? 1, 'pos') - 1 : 0;
  const found = findPattern(text, expectText(pattern, 'match'), flagsOf(options), from, budget);
  return [found === undefined ? undefined : captureTable(found)];
};

const find: LuaFunction = ([subject, pattern, options], budget) => {
  const text = expectText(subject, 'find');
  const found = findPattern(text, expectText(pattern, 'find'), flagsOf(options), 0, budget);
  if (found === undefined) return [undefined];
  return [found.start + 1, found.end];
};

const gmatch: LuaFunction = ([subject, pattern, options]) => {
  const text = expectText(subject, 'gmatch');
  const source = expectText(pattern, 'gmatch');
  let at = 0;
  return [
    (_args, budget) => {
      if (at > text.length) return [undefined];
      const found = findPattern(text, source, flagsOf(options), at, budget);
      if (found === undefined) {
        at = text.length + 1;
        return [undefined];
      }
      at = found.end === found.start ? found.end + 1 : found.end;
      return [captureTable(found)];
    },
  ];
};

function substitute(limit: number): LuaFunction {
  return ([subject, pattern, replacement, options], budget) => {
    const text = expectText(subject, 'sub');
    const source = expectText(pattern, 'sub');
    const flags = flagsOf(options);
    let made = '';
    let at = 0;
    let count = 0;
    while (count < limit && at <= text.length) {
      const found = findPattern(text, source, flags, at, budget);
      if (found === undefined) break;
      const { start, end } = found;
      count += 1;
      made += text.slice(at, start) + replaced(found, replacement, budget);
      at = end;
      if (start === end) {
        made += text.slice(at, at + 1);
        at += 1;
      }
    }
    made += text.slice(at);
    budget.take(made.length);
    return [made, count];
  };
}

function replaced(found: FoundPattern, replacement: LuaValue, budget: LuaBudget): string {
  if (typeof replacement === 'function') {
    const value = callValue(replacement, [captureTable(found)], budget)[0];
    return isTrue(value) ? expectText(value, 'sub') : '';
  }
  if (typeof replacement !== 'string')
    throw new LuaFailure('a replacement is a string or a function');
  return replacement.replace(/\$(\$|\d+|\{(\d+)\})/g, (_, mark: string, braced?: string) =>
    mark === '$' ? '$' : (found.captures[Number(braced ?? mark)] ?? ''),
  );
}

/** `ngx.re`, on an engine that takes linear time: look-around and references to groups are refused. */
export const ngxPatterns: LuaTable = readOnlyTable({
  match,
  find,
  gmatch,
  sub: substitute(1),
  gsub: substitute(Number.POSITIVE_INFINITY),
});
