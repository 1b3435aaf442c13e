import { compileRegex } from '@waygate/text';
import { formatText } from './format-text.ts';
import type { CelFunctionRegistry } from './function-registry.ts';

/** Longer texts than this are not made: an expression is a question, not a program. */
const maxLength = 1_000_000;

/** The name that functions on texts are called by. */
class Strings {}

/** Characters of a text, as CEL counts them. */
const letters = (text: string) => [...text];

/** Functions on texts beside those that the library brings, and `matches` in linear time. */
export function registerStringFunctions(registry: CelFunctionRegistry): void {
  registry.registerType('Strings', Strings);
  registry.registerVariable('strings', 'Strings');
  registry.registerFunction('Strings.quote(string): string', (_strings: Strings, text: string) =>
    quoted(text),
  );
  registry.registerFunction('string.charAt(int): string', charAt);
  registry.registerFunction('string.reverse(): string', (text: string) =>
    letters(text).reverse().join(''),
  );
  registry.registerFunction(
    'string.replace(string, string): string',
    (text: string, from: string, to: string) => replaced(text, from, to, -1n),
  );
  registry.registerFunction('string.replace(string, string, int): string', replaced);
  registry.registerFunction(
    'string.format(list): string',
    (text: string, values: readonly unknown[]) => bounded(formatText(text, values)),
  );
  registry.registerFunction(
    `string.${linearMatches}(string): bool`,
    (text: string, expression: string) => compileRegex(expression)(text),
  );
}

/** What the name `strings` stands for when an expression is evaluated. */
export const strings = new Strings();

function charAt(text: string, index: bigint): string {
  const all = letters(text);
  if (index < 0n || index > all.length) throw new Error(`index out of range: ${index}`);
  return all[Number(index)] ?? '';
}

function replaced(text: string, from: string, to: string, limit: bigint): string {
  if (limit < 0n) return bounded(text.replaceAll(from, () => to));
  let rest = from === '' ? letters(text) : text.split(from);
  if (from === '') rest = ['', ...rest, ''];
  const count = Math.min(Number(limit), rest.length - 1);
  const head = rest.slice(0, count).map((part) => part + to);
  return bounded(head.join('') + rest.slice(count).join(from));
}

function quoted(text: string): string {
  const escapes: Record<string, string> = {
    '\u0007': '\\a',
    '\b': '\\b',
    '\f': '\\f',
    '\n': '\\n',
    '\r': '\\r',
    '\t': '\\t',
    '\v': '\\v',
    '\\': '\\\\',
    '"': '\\"',
  };
  return bounded(
    `"${letters(text)
      .map((letter) => escapes[letter] ?? letter)
      .join('')}"`,
  );
}

function bounded(text: string): string {
  if (text.length > maxLength) throw new Error('the text is too long');
  return text;
}

/** The library matches by going back, which takes for ever on a hostile expression. */
const linearMatches = 'matchesInLinearTime';

/** Texts and comments of an expression, and calls of `matches`. */
const tokens =
  /\/\/[^\n]*|[rR]?[bB]?[rR]?(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|\.\s*matches\s*\(/g;

/** The expression with its matches done in time linear in the text. */
export function withLinearMatches(expression: string): string {
  return expression.replaceAll(tokens, (token) =>
    token.startsWith('.') ? token.replace('matches', linearMatches) : token,
  );
}

/** What the library says, in the words of the expression. */
export function inOwnWords(message: string): string {
  return message.replaceAll(linearMatches, 'matches');
}
