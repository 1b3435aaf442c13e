import { holdStack } from '@waygate/text';
import { quoteString } from '../go/quote.ts';
import { unquoteString } from '../go/unquote.ts';
import { type CommandNode, type OperandNode, type PipeNode, printNode } from './node.ts';
import { readNumber } from './number-constant.ts';
import type { Token, TokenKind } from './token.ts';
import type { TokenReader } from './token-reader.ts';

/** Go's is 10000, which is more than the stack here holds. */
const maxParens = 1000;

const operandKinds: ReadonlySet<TokenKind> = new Set<TokenKind>([
  'bool',
  'charConstant',
  'complex',
  'dot',
  'field',
  'identifier',
  'number',
  'nil',
  'rawString',
  'string',
  'variable',
  'leftParen',
]);

/** Parses what stands inside of actions: declarations, commands and their operands. */
export class PipelineParser {
  /** The variables that are declared where the parser is. */
  variables: string[] = ['$'];
  readonly #tokens: TokenReader;
  readonly #isFunction: (name: string) => boolean;
  #parens = 0;

  constructor(tokens: TokenReader, isFunction: (name: string) => boolean) {
    this.#tokens = tokens;
    this.#isFunction = isFunction;
  }

  /** The value of a string constant. */
  unquote(token: Token): string {
    return unquoteString(token.text) ?? this.#tokens.fail('invalid syntax');
  }

  pipeline(context: string, end: TokenKind): PipeNode {
    const pipe: PipeNode = {
      kind: 'pipe',
      source: this.#tokens.source,
      at: this.#tokens.peekNonSpace().at,
      declared: [],
      isAssign: false,
      commands: [],
    };
    this.#declarations(pipe, context);
    for (;;) {
      const token = this.#tokens.nextNonSpace();
      if (token.kind === end) {
        this.#checkPipeline(pipe, context);
        return pipe;
      }
      if (!operandKinds.has(token.kind)) this.#tokens.unexpected(token, context);
      this.#tokens.putBack(token);
      pipe.commands.push(this.#command());
    }
  }

  #declarations(pipe: PipeNode, context: string): void {
    for (;;) {
      const variable = this.#tokens.peekNonSpace();
      if (variable.kind !== 'variable') return;
      this.#tokens.next();
      const after = this.#tokens.peek();
      const next = this.#tokens.peekNonSpace();
      const isComma = next.kind === 'char' && next.text === ',';
      if (next.kind !== 'assign' && next.kind !== 'declare' && !isComma) {
        // The white space that was looked over is put back: it parts the variable from what follows.
        if (after.kind === 'space') this.#tokens.putBack(after);
        this.#tokens.putBack(variable);
        return;
      }
      this.#tokens.nextNonSpace();
      pipe.declared.push({
        kind: 'variable',
        source: this.#tokens.source,
        at: variable.at,
        names: variable.text.split('.'),
      });
      this.variables.push(variable.text);
      if (!isComma) {
        pipe.isAssign = next.kind === 'assign';
        return;
      }
      if (context !== 'range' || pipe.declared.length >= 2) {
        this.#tokens.fail(`too many declarations in ${context}`);
      }
      const { kind } = this.#tokens.peekNonSpace();
      if (kind !== 'variable' && kind !== 'rightDelim' && kind !== 'rightParen') {
        this.#tokens.fail('range can only initialize variables');
      }
    }
  }

  #checkPipeline(pipe: PipeNode, context: string): void {
    if (pipe.commands.length === 0) this.#tokens.fail(`missing value for ${context}`);
    pipe.commands.forEach((command, at) => {
      const { kind } = command.args[0]!;
      const isConstant =
        kind === 'bool' ||
        kind === 'dot' ||
        kind === 'nil' ||
        kind === 'number' ||
        kind === 'string';
      if (at > 0 && isConstant)
        this.#tokens.fail(`non executable command in pipeline stage ${at + 1}`);
    });
  }

  #command(): CommandNode {
    const command: CommandNode = {
      kind: 'command',
      source: this.#tokens.source,
      at: this.#tokens.peekNonSpace().at,
      args: [],
    };
    for (;;) {
      this.#tokens.peekNonSpace();
      const operand = this.#operand();
      if (operand !== undefined) command.args.push(operand);
      const token = this.#tokens.next();
      if (token.kind === 'space') continue;
      if (token.kind === 'rightDelim' || token.kind === 'rightParen') this.#tokens.putBack(token);
      else if (token.kind !== 'pipe') this.#tokens.unexpected(token, 'operand');
      break;
    }
    if (command.args.length === 0) this.#tokens.fail('empty command');
    return command;
  }

  #operand(): OperandNode | undefined {
    const node = this.#term();
    if (node === undefined) return undefined;
    const { kind, at } = this.#tokens.peek();
    if (kind !== 'field') return node;
    const names: string[] = [];
    while (this.#tokens.peek().kind === 'field') names.push(this.#tokens.next().text.slice(1));
    switch (node.kind) {
      case 'field':
      case 'variable':
        return { ...node, at, names: [...node.names, ...names] };
      case 'bool':
      case 'string':
      case 'number':
      case 'nil':
      case 'dot':
        return this.#tokens.fail(`unexpected . after term ${quoteString(printNode(node))}`);
      default:
        return { kind: 'chain', source: this.#tokens.source, at, of: node, names };
    }
  }

  #term(): OperandNode | undefined {
    const token = this.#tokens.nextNonSpace();
    const { at, text } = token;
    const source = this.#tokens.source;
    switch (token.kind) {
      case 'identifier':
        if (!this.#isFunction(text)) this.#tokens.fail(`function ${quoteString(text)} not defined`);
        return { kind: 'identifier', source, at, name: text };
      case 'dot':
        return { kind: 'dot', source, at };
      case 'nil':
        return { kind: 'nil', source, at };
      case 'variable':
        if (!this.variables.includes(text))
          this.#tokens.fail(`undefined variable ${quoteString(text)}`);
        return { kind: 'variable', source, at, names: [text] };
      case 'field':
        return { kind: 'field', source, at, names: [text.slice(1)] };
      case 'bool':
        return { kind: 'bool', source, at, value: text === 'true' };
      case 'charConstant':
      case 'complex':
      case 'number': {
        const meaning = readNumber(text, token.kind);
        if (typeof meaning === 'string') this.#tokens.fail(meaning);
        return { kind: 'number', source, at, text, ...meaning };
      }
      case 'leftParen': {
        if (this.#parens >= maxParens) this.#tokens.fail('max expression depth exceeded');
        holdStack(++this.#parens);
        const pipe = this.pipeline('parenthesized pipeline', 'rightParen');
        this.#parens--;
        return pipe;
      }
      case 'string':
      case 'rawString':
        return { kind: 'string', source, at, quoted: text, value: this.unquote(token) };
    }
    this.#tokens.putBack(token);
    return undefined;
  }
}
