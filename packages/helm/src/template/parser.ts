import { quoteString } from '../go/quote.ts';
import { unquoteString } from '../go/unquote.ts';
import { Lexer, printToken, type Token, type TokenKind } from './lexer.ts';
import {
  type BranchNode,
  type CommandNode,
  isEmptyTree,
  type ListNode,
  type Node,
  type OperandNode,
  type PipeNode,
  printNode,
  type Source,
} from './node.ts';
import { readNumber } from './number-constant.ts';

/** A template that does not parse. The message is Go's: `template: NAME:LINE: TEXT`. */
export class ParseError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ParseError';
  }
}

/** What one text defines: itself under its own name, and its `define`s and `block`s. */
export type ParsedTrees = Map<string, ListNode>;

const maxParens = 1000;
/** Blocks inside of blocks; what nests deeper would need more of the stack than there is. */
const maxBlocks = 500;

/** Parses a text as Go's text/template does, with its errors. */
export function parseTemplate(
  name: string,
  text: string,
  isFunction: (name: string) => boolean,
): ParsedTrees {
  return new Parser({ name, text }, isFunction).parse();
}

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

class Parser {
  readonly #source: Source;
  readonly #isFunction: (name: string) => boolean;
  readonly #lexer: Lexer;
  readonly #trees: ParsedTrees = new Map();
  /** The tokens that were put back, the next one last. */
  readonly #pending: Token[] = [];
  /** The line of the token that was read from the text last: where errors are said to be. */
  #line = 1;
  #actionLine = 0;
  #variables: string[] = ['$'];
  #rangeDepth = 0;
  #parens = 0;
  #blocks = 0;

  constructor(source: Source, isFunction: (name: string) => boolean) {
    this.#source = source;
    this.#isFunction = isFunction;
    this.#lexer = new Lexer(source.text);
  }

  parse(): ParsedTrees {
    const root = this.#list(this.#peek().at);
    while (this.#peek().kind !== 'eof') {
      if (this.#peek().kind === 'leftDelim') {
        const delim = this.#next();
        const token = this.#nextNonSpace();
        if (token.kind === 'define') {
          this.#definition();
          continue;
        }
        this.#pending.push(token, delim);
      }
      const node = this.#textOrAction();
      if (node.kind === 'end' || node.kind === 'else') this.#fail(`unexpected ${printNode(node)}`);
      root.nodes.push(node);
    }
    this.#add(this.#source.name, root);
    return this.#trees;
  }

  #fail(message: string): never {
    throw new ParseError(`template: ${this.#source.name}:${this.#line}: ${message}`);
  }

  #unexpected(token: Token, context: string): never {
    if (token.kind !== 'error') this.#fail(`unexpected ${printToken(token)} in ${context}`);
    let extra = '';
    if (this.#actionLine !== 0 && this.#actionLine !== token.line) {
      const started = ` started at ${this.#source.name}:${this.#actionLine}`;
      extra = token.text.endsWith(' action') ? started : ` in action${started}`;
    }
    this.#fail(token.text + extra);
  }

  #next(): Token {
    const pending = this.#pending.pop();
    if (pending !== undefined) return pending;
    const token = this.#lexer.next();
    this.#line = token.line;
    return token;
  }

  #peek(): Token {
    const token = this.#next();
    this.#pending.push(token);
    return token;
  }

  #nextNonSpace(): Token {
    for (;;) {
      const token = this.#next();
      if (token.kind !== 'space') return token;
    }
  }

  #peekNonSpace(): Token {
    const token = this.#nextNonSpace();
    this.#pending.push(token);
    return token;
  }

  #expect(kind: TokenKind, context: string): Token {
    const token = this.#nextNonSpace();
    if (token.kind !== kind) this.#unexpected(token, context);
    return token;
  }

  #list(at: number): ListNode {
    return { kind: 'list', source: this.#source, at, nodes: [] };
  }

  #add(name: string, root: ListNode): void {
    const other = this.#trees.get(name);
    if (other === undefined || isEmptyTree(other)) this.#trees.set(name, root);
    else if (!isEmptyTree(root)) {
      this.#fail(`template: multiple definition of template ${quoteString(name)}`);
    }
  }

  #definition(): void {
    const context = 'define clause';
    const token = this.#nextNonSpace();
    if (token.kind !== 'string' && token.kind !== 'rawString') this.#unexpected(token, context);
    const name = this.#unquote(token);
    this.#expect('rightDelim', context);
    this.#add(name, this.#body(context));
  }

  /** The body of a `define` or `block`, to its `end`; it sees no variables from outside. */
  #body(context: string): ListNode {
    const outer = {
      variables: this.#variables,
      rangeDepth: this.#rangeDepth,
      line: this.#actionLine,
    };
    this.#variables = ['$'];
    this.#rangeDepth = 0;
    this.#actionLine = 0;
    const { list, end } = this.#itemList();
    this.#variables = outer.variables;
    this.#rangeDepth = outer.rangeDepth;
    this.#actionLine = outer.line;
    if (end.kind !== 'end') this.#fail(`unexpected ${printNode(end)} in ${context}`);
    return list;
  }

  #itemList(): { list: ListNode; end: Node } {
    if (++this.#blocks > maxBlocks) this.#fail('max block depth exceeded');
    const list = this.#list(this.#peekNonSpace().at);
    while (this.#peekNonSpace().kind !== 'eof') {
      const node = this.#textOrAction();
      if (node.kind === 'end' || node.kind === 'else') {
        this.#blocks--;
        return { list, end: node };
      }
      list.nodes.push(node);
    }
    this.#fail('unexpected EOF');
  }

  #textOrAction(): Node {
    const token = this.#nextNonSpace();
    if (token.kind === 'text') {
      return { kind: 'text', source: this.#source, at: token.at, text: token.text };
    }
    if (token.kind !== 'leftDelim') this.#unexpected(token, 'input');
    this.#actionLine = token.line;
    const node = this.#action();
    this.#actionLine = 0;
    return node;
  }

  #action(): Node {
    const token = this.#nextNonSpace();
    const { at } = token;
    const source = this.#source;
    switch (token.kind) {
      case 'block':
        return this.#block();
      case 'break':
      case 'continue': {
        const next = this.#nextNonSpace();
        if (next.kind !== 'rightDelim') this.#unexpected(next, `{{${token.kind}}}`);
        if (this.#rangeDepth === 0) this.#fail(`{{${token.kind}}} outside {{range}}`);
        return { kind: token.kind, source, at };
      }
      case 'else': {
        const next = this.#peekNonSpace();
        if (next.kind === 'if' || next.kind === 'with')
          return { kind: 'else', source, at: next.at };
        return { kind: 'else', source, at: this.#expect('rightDelim', 'else').at };
      }
      case 'end':
        return { kind: 'end', source, at: this.#expect('rightDelim', 'end').at };
      case 'if':
      case 'range':
      case 'with':
        return this.#control(token.kind);
      case 'template': {
        const next = this.#nextNonSpace();
        const name = this.#templateName(next, 'template clause');
        const after = this.#nextNonSpace();
        if (after.kind === 'rightDelim') return { kind: 'template', source, at: next.at, name };
        this.#pending.push(after);
        const pipe = this.#pipeline('template clause', 'rightDelim');
        return { kind: 'template', source, at: next.at, name, pipe };
      }
      default:
        this.#pending.push(token);
        return { kind: 'action', source, at, pipe: this.#pipeline('command', 'rightDelim') };
    }
  }

  #block(): Node {
    const context = 'block clause';
    const token = this.#nextNonSpace();
    const name = this.#templateName(token, context);
    const pipe = this.#pipeline(context, 'rightDelim');
    this.#add(name, this.#body(context));
    return { kind: 'template', source: this.#source, at: token.at, name, pipe };
  }

  #templateName(token: Token, context: string): string {
    if (token.kind !== 'string' && token.kind !== 'rawString') this.#unexpected(token, context);
    return this.#unquote(token);
  }

  #unquote(token: Token): string {
    return unquoteString(token.text) ?? this.#fail('invalid syntax');
  }

  #control(kind: BranchNode['kind']): BranchNode {
    const variables = this.#variables.length;
    const pipe = this.#pipeline(kind, 'rightDelim');
    if (kind === 'range') this.#rangeDepth++;
    const { list, end } = this.#itemList();
    if (kind === 'range') this.#rangeDepth--;
    let elseList: ListNode | undefined;
    if (end.kind === 'else') {
      if ((kind === 'if' || kind === 'with') && this.#peek().kind === kind) {
        this.#next();
        elseList = this.#list(end.at);
        // A chain of `else if` nests as deep as it is long.
        if (++this.#blocks > maxBlocks) this.#fail('max block depth exceeded');
        elseList.nodes.push(this.#control(kind));
        this.#blocks--;
      } else {
        const last = this.#itemList();
        elseList = last.list;
        if (last.end.kind !== 'end') this.#fail(`expected end; found ${printNode(last.end)}`);
      }
    }
    this.#variables.length = variables;
    return { kind, source: this.#source, at: pipe.at, pipe, list, elseList };
  }

  #pipeline(context: string, end: TokenKind): PipeNode {
    const pipe: PipeNode = {
      kind: 'pipe',
      source: this.#source,
      at: this.#peekNonSpace().at,
      declared: [],
      isAssign: false,
      commands: [],
    };
    this.#declarations(pipe, context);
    for (;;) {
      const token = this.#nextNonSpace();
      if (token.kind === end) {
        this.#checkPipeline(pipe, context);
        return pipe;
      }
      if (!operandKinds.has(token.kind)) this.#unexpected(token, context);
      this.#pending.push(token);
      pipe.commands.push(this.#command());
    }
  }

  #declarations(pipe: PipeNode, context: string): void {
    for (;;) {
      const variable = this.#peekNonSpace();
      if (variable.kind !== 'variable') return;
      this.#next();
      const after = this.#peek();
      const next = this.#peekNonSpace();
      const isComma = next.kind === 'char' && next.text === ',';
      if (next.kind !== 'assign' && next.kind !== 'declare' && !isComma) {
        // The white space that was looked over is put back: it parts the variable from what follows.
        if (after.kind === 'space') this.#pending.push(after);
        this.#pending.push(variable);
        return;
      }
      this.#nextNonSpace();
      pipe.declared.push({
        kind: 'variable',
        source: this.#source,
        at: variable.at,
        names: variable.text.split('.'),
      });
      this.#variables.push(variable.text);
      if (!isComma) {
        pipe.isAssign = next.kind === 'assign';
        return;
      }
      if (context !== 'range' || pipe.declared.length >= 2) {
        this.#fail(`too many declarations in ${context}`);
      }
      const { kind } = this.#peekNonSpace();
      if (kind !== 'variable' && kind !== 'rightDelim' && kind !== 'rightParen') {
        this.#fail('range can only initialize variables');
      }
    }
  }

  #checkPipeline(pipe: PipeNode, context: string): void {
    if (pipe.commands.length === 0) this.#fail(`missing value for ${context}`);
    pipe.commands.forEach((command, at) => {
      const { kind } = command.args[0]!;
      const isConstant =
        kind === 'bool' ||
        kind === 'dot' ||
        kind === 'nil' ||
        kind === 'number' ||
        kind === 'string';
      if (at > 0 && isConstant) this.#fail(`non executable command in pipeline stage ${at + 1}`);
    });
  }

  #command(): CommandNode {
    const command: CommandNode = {
      kind: 'command',
      source: this.#source,
      at: this.#peekNonSpace().at,
      args: [],
    };
    for (;;) {
      this.#peekNonSpace();
      const operand = this.#operand();
      if (operand !== undefined) command.args.push(operand);
      const token = this.#next();
      if (token.kind === 'space') continue;
      if (token.kind === 'rightDelim' || token.kind === 'rightParen') this.#pending.push(token);
      else if (token.kind !== 'pipe') this.#unexpected(token, 'operand');
      break;
    }
    if (command.args.length === 0) this.#fail('empty command');
    return command;
  }

  #operand(): OperandNode | undefined {
    const node = this.#term();
    if (node === undefined) return undefined;
    const { kind, at } = this.#peek();
    if (kind !== 'field') return node;
    const names: string[] = [];
    while (this.#peek().kind === 'field') names.push(this.#next().text.slice(1));
    switch (node.kind) {
      case 'field':
      case 'variable':
        return { ...node, at, names: [...node.names, ...names] };
      case 'bool':
      case 'string':
      case 'number':
      case 'nil':
      case 'dot':
        return this.#fail(`unexpected . after term ${quoteString(printNode(node))}`);
      default:
        return { kind: 'chain', source: this.#source, at, of: node, names };
    }
  }

  #term(): OperandNode | undefined {
    const token = this.#nextNonSpace();
    const { at, text } = token;
    const source = this.#source;
    switch (token.kind) {
      case 'identifier':
        if (!this.#isFunction(text)) this.#fail(`function ${quoteString(text)} not defined`);
        return { kind: 'identifier', source, at, name: text };
      case 'dot':
        return { kind: 'dot', source, at };
      case 'nil':
        return { kind: 'nil', source, at };
      case 'variable':
        if (!this.#variables.includes(text)) this.#fail(`undefined variable ${quoteString(text)}`);
        return { kind: 'variable', source, at, names: [text] };
      case 'field':
        return { kind: 'field', source, at, names: [text.slice(1)] };
      case 'bool':
        return { kind: 'bool', source, at, value: text === 'true' };
      case 'charConstant':
      case 'complex':
      case 'number': {
        const meaning = readNumber(text, token.kind);
        if (typeof meaning === 'string') this.#fail(meaning);
        return { kind: 'number', source, at, text, ...meaning };
      }
      case 'leftParen': {
        if (this.#parens >= maxParens) this.#fail('max expression depth exceeded');
        this.#parens++;
        const pipe = this.#pipeline('parenthesized pipeline', 'rightParen');
        this.#parens--;
        return pipe;
      }
      case 'string':
      case 'rawString':
        return { kind: 'string', source, at, quoted: text, value: this.#unquote(token) };
    }
    this.#pending.push(token);
    return undefined;
  }
}
