import { LuaProblem } from '../lua/lua-token.ts';
import { isTrue, type LuaBudget, type LuaValue, toText } from '../lua/lua-value.ts';
import { type LuaWorld, TemplateExpression } from './template-expression.ts';

const longestTemplate = 64 * 1_024;

/**
 * A configured value with expressions of Lua in `$(…)`, as Kong's request-transformer takes them.
 *
 * @example
 * const template = Template.compile('/v2$(uri_captures[1] or "/")');
 * template.render(world, new LuaBudget());
 */
export class Template {
  /** Texts as they are, one character a byte, and expressions between them. */
  readonly #parts: readonly (string | TemplateExpression)[];

  private constructor(parts: readonly (string | TemplateExpression)[]) {
    this.#parts = parts;
  }

  /** @throws LuaProblem if an expression is none, or uses what is not understood here */
  static compile(text: string): Template {
    const bytes = Buffer.from(text, 'utf8').toString('latin1');
    if (!bytes.includes('$(')) return new Template([bytes]);
    if (bytes.length > longestTemplate) {
      throw new LuaProblem(`it is longer than ${longestTemplate} bytes`);
    }
    const ends = closingParentheses(bytes);
    const parts: (string | TemplateExpression)[] = [];
    let from = 0;
    for (;;) {
      const start = nextExpression(bytes, from, ends);
      if (start === undefined) break;
      const end = ends.get(start + 1) ?? bytes.length;
      parts.push(bytes.slice(from, start), new TemplateExpression(bytes.slice(start + 2, end)));
      from = end + 1;
    }
    parts.push(bytes.slice(from));
    return new Template(parts);
  }

  /**
   * The text for one request, one character a byte; `nil` and `false` are nothing.
   *
   * @throws LuaFailure if an expression fails, or costs too much
   */
  render(world: LuaWorld, budget: LuaBudget): string {
    let text = '';
    for (const part of this.#parts) {
      if (typeof part === 'string') {
        text += part;
        continue;
      }
      const value = part.value(world, budget);
      const filled = isTrue(value) ? textOf(value) : '';
      budget.take(filled.length);
      text += filled;
    }
    return text;
  }
}

/** What came more than once is written as HTTP joins it, where Kong would write an address. */
function textOf(value: LuaValue): string {
  if (typeof value !== 'object') return toText(value);
  return Array.from({ length: value.length }, (_, index) => toText(value.get(index + 1))).join(
    ', ',
  );
}

/** What of a template is not understood, if anything is. */
export function templateProblem(text: string): string | undefined {
  try {
    Template.compile(text);
    return undefined;
  } catch (error) {
    if (error instanceof LuaProblem) return error.message;
    throw error;
  }
}

/** Which parenthesis closes which, also inside of quotes, as Kong pairs them. */
function closingParentheses(text: string): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '(') {
      open.push(at);
    } else if (text[at] === ')') {
      const start = open.pop();
      if (start !== undefined) ends.set(start, at);
    }
  }
  return ends;
}

/** The next `$(` that is closed: one that is not is a text as any other. */
function nextExpression(
  text: string,
  from: number,
  ends: ReadonlyMap<number, number>,
): number | undefined {
  for (let at = text.indexOf('$(', from); at !== -1; at = text.indexOf('$(', at + 1)) {
    if (ends.has(at + 1)) return at;
  }
  return undefined;
}
