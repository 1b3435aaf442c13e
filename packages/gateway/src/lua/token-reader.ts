import { LuaProblem, type LuaToken } from './lua-token.ts';
import { luaReserved } from './operator-binding.ts';

/** The tokens of a program, one after the other, and Lua's words for what does not fit. */
export class TokenReader {
  readonly #list: readonly LuaToken[];
  #at = 0;

  constructor(tokens: readonly LuaToken[]) {
    this.#list = tokens;
  }

  /** The token behind the next one. */
  get following(): LuaToken | undefined {
    return this.#list[this.#at + 1];
  }

  skip(): void {
    this.#at += 1;
  }

  get token(): LuaToken {
    return this.#list[this.#at] ?? { kind: 'end', text: '', line: 1 };
  }

  fail(message: string): never {
    throw new LuaProblem(message, this.token.line);
  }

  near(): string {
    const { kind, text } = this.token;
    return `near '${kind === 'end' ? '<eof>' : text}'`;
  }

  expected(what: string): never {
    return this.fail(`'${what}' expected ${this.near()}`);
  }

  is(text: string): boolean {
    const token = this.token;
    return token.text === text && (token.kind === 'sign' || token.kind === 'name');
  }

  accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.#at += 1;
    return true;
  }

  expect(text: string): void {
    if (!this.accept(text)) this.expected(text);
  }

  /** What closes something that may have been opened lines before. */
  close(text: string, opened: string, line: number): void {
    if (this.accept(text)) return;
    const where = line === this.token.line ? '' : ` (to close '${opened}' at line ${line})`;
    this.fail(`'${text}' expected${where} ${this.near()}`);
  }

  name(): string {
    const token = this.token;
    if (token.kind !== 'name' || luaReserved.has(token.text)) {
      return this.fail(`'<name>' expected ${this.near()}`);
    }
    this.#at += 1;
    return token.text;
  }
}
