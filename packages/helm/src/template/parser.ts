import { holdStack } from '@waygate/text';
import { quoteString } from '../go/quote.ts';
import {
  type BranchNode,
  isEmptyTree,
  type ListNode,
  type Node,
  printNode,
  type Source,
} from './node.ts';
import { PipelineParser } from './pipeline-parser.ts';
import type { Token } from './token.ts';
import { TokenReader } from './token-reader.ts';

/** What one text defines: itself under its own name, and its `define`s and `block`s. */
export type ParsedTrees = Map<string, ListNode>;

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

class Parser {
  readonly #tokens: TokenReader;
  readonly #pipelines: PipelineParser;
  readonly #trees: ParsedTrees = new Map();
  #rangeDepth = 0;
  #blocks = 0;

  constructor(source: Source, isFunction: (name: string) => boolean) {
    this.#tokens = new TokenReader(source);
    this.#pipelines = new PipelineParser(this.#tokens, isFunction);
  }

  parse(): ParsedTrees {
    const root = this.#list(this.#tokens.peek().at);
    while (this.#tokens.peek().kind !== 'eof') {
      if (this.#tokens.peek().kind === 'leftDelim') {
        const delim = this.#tokens.next();
        const token = this.#tokens.nextNonSpace();
        if (token.kind === 'define') {
          this.#definition();
          continue;
        }
        this.#tokens.putBack(token);
        this.#tokens.putBack(delim);
      }
      const node = this.#textOrAction();
      if (node.kind === 'end' || node.kind === 'else')
        this.#tokens.fail(`unexpected ${printNode(node)}`);
      root.nodes.push(node);
    }
    this.#add(this.#tokens.source.name, root);
    return this.#trees;
  }

  #list(at: number): ListNode {
    return { kind: 'list', source: this.#tokens.source, at, nodes: [] };
  }

  #add(name: string, root: ListNode): void {
    const other = this.#trees.get(name);
    if (other === undefined || isEmptyTree(other)) this.#trees.set(name, root);
    else if (!isEmptyTree(root)) {
      this.#tokens.fail(`template: multiple definition of template ${quoteString(name)}`);
    }
  }

  #definition(): void {
    const context = 'define clause';
    const token = this.#tokens.nextNonSpace();
    if (token.kind !== 'string' && token.kind !== 'rawString')
      this.#tokens.unexpected(token, context);
    const name = this.#pipelines.unquote(token);
    this.#tokens.expect('rightDelim', context);
    this.#add(name, this.#body(context));
  }

  /** The body of a `define` or `block`, to its `end`; it sees no variables from outside. */
  #body(context: string): ListNode {
    const outer = {
      variables: this.#pipelines.variables,
      rangeDepth: this.#rangeDepth,
      line: this.#tokens.actionLine,
    };
    this.#pipelines.variables = ['$'];
    this.#rangeDepth = 0;
    this.#tokens.actionLine = 0;
    const { list, end } = this.#itemList();
    this.#pipelines.variables = outer.variables;
    this.#rangeDepth = outer.rangeDepth;
    this.#tokens.actionLine = outer.line;
    if (end.kind !== 'end') this.#tokens.fail(`unexpected ${printNode(end)} in ${context}`);
    return list;
  }

  #itemList(): { list: ListNode; end: Node } {
    if (++this.#blocks > maxBlocks) this.#tokens.fail('max block depth exceeded');
    holdStack(this.#blocks);
    const list = this.#list(this.#tokens.peekNonSpace().at);
    while (this.#tokens.peekNonSpace().kind !== 'eof') {
      const node = this.#textOrAction();
      if (node.kind === 'end' || node.kind === 'else') {
        this.#blocks--;
        return { list, end: node };
      }
      list.nodes.push(node);
    }
    this.#tokens.fail('unexpected EOF');
  }

  #textOrAction(): Node {
    const token = this.#tokens.nextNonSpace();
    if (token.kind === 'text') {
      return { kind: 'text', source: this.#tokens.source, at: token.at, text: token.text };
    }
    if (token.kind !== 'leftDelim') this.#tokens.unexpected(token, 'input');
    this.#tokens.actionLine = token.line;
    const node = this.#action();
    this.#tokens.actionLine = 0;
    return node;
  }

  #action(): Node {
    const token = this.#tokens.nextNonSpace();
    const { at } = token;
    const source = this.#tokens.source;
    switch (token.kind) {
      case 'block':
        return this.#block();
      case 'break':
      case 'continue': {
        const next = this.#tokens.nextNonSpace();
        if (next.kind !== 'rightDelim') this.#tokens.unexpected(next, `{{${token.kind}}}`);
        if (this.#rangeDepth === 0) this.#tokens.fail(`{{${token.kind}}} outside {{range}}`);
        return { kind: token.kind, source, at };
      }
      case 'else': {
        const next = this.#tokens.peekNonSpace();
        if (next.kind === 'if' || next.kind === 'with')
          return { kind: 'else', source, at: next.at };
        return { kind: 'else', source, at: this.#tokens.expect('rightDelim', 'else').at };
      }
      case 'end':
        return { kind: 'end', source, at: this.#tokens.expect('rightDelim', 'end').at };
      case 'if':
      case 'range':
      case 'with':
        return this.#control(token.kind);
      case 'template': {
        const next = this.#tokens.nextNonSpace();
        const name = this.#templateName(next, 'template clause');
        const after = this.#tokens.nextNonSpace();
        if (after.kind === 'rightDelim') return { kind: 'template', source, at: next.at, name };
        this.#tokens.putBack(after);
        const pipe = this.#pipelines.pipeline('template clause', 'rightDelim');
        return { kind: 'template', source, at: next.at, name, pipe };
      }
      default:
        this.#tokens.putBack(token);
        return {
          kind: 'action',
          source,
          at,
          pipe: this.#pipelines.pipeline('command', 'rightDelim'),
        };
    }
  }

  #block(): Node {
    const context = 'block clause';
    const token = this.#tokens.nextNonSpace();
    const name = this.#templateName(token, context);
    const pipe = this.#pipelines.pipeline(context, 'rightDelim');
    this.#add(name, this.#body(context));
    return { kind: 'template', source: this.#tokens.source, at: token.at, name, pipe };
  }

  #templateName(token: Token, context: string): string {
    if (token.kind !== 'string' && token.kind !== 'rawString')
      this.#tokens.unexpected(token, context);
    return this.#pipelines.unquote(token);
  }

  #control(kind: BranchNode['kind']): BranchNode {
    const variables = this.#pipelines.variables.length;
    const pipe = this.#pipelines.pipeline(kind, 'rightDelim');
    if (kind === 'range') this.#rangeDepth++;
    const { list, end } = this.#itemList();
    if (kind === 'range') this.#rangeDepth--;
    let elseList: ListNode | undefined;
    if (end.kind === 'else') {
      if ((kind === 'if' || kind === 'with') && this.#tokens.peek().kind === kind) {
        this.#tokens.next();
        elseList = this.#list(end.at);
        // A chain of `else if` nests as deep as it is long.
        if (++this.#blocks > maxBlocks) this.#tokens.fail('max block depth exceeded');
        elseList.nodes.push(this.#control(kind));
        this.#blocks--;
      } else {
        const last = this.#itemList();
        elseList = last.list;
        if (last.end.kind !== 'end')
          this.#tokens.fail(`expected end; found ${printNode(last.end)}`);
      }
    }
    this.#pipelines.variables.length = variables;
    return { kind, source: this.#tokens.source, at: pipe.at, pipe, list, elseList };
  }
}
