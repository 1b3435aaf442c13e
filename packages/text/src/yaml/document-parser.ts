import type { Comments } from './comments.ts';
import { noContent, YamlNode } from './node.ts';
import { tagOfScalar } from './resolve.ts';
import { maxDepth, Scanner } from './scanner.ts';
import type { Token } from './token.ts';
import { type Mark, YamlError } from './yaml-error.ts';

const defaultHandles: ReadonlyMap<string, string> = new Map([
  ['!', '!'],
  ['!!', 'tag:yaml.org,2002:'],
]);

/**
 * Makes trees of the tokens of a text, document by document. It takes any text, and says of what is none what
 * Go's libraries say. An anchor is known from the beginning of its node, so an alias may lead to a collection that
 * it stands in: whoever follows aliases looks out for circles.
 */
export class DocumentParser {
  readonly #scanner: Scanner;
  readonly #file: string | undefined;
  /** Added to the lines of nodes, for a text that is a part of a file. */
  readonly #firstLine: number;
  readonly #isLegacy: boolean;
  /** By name, the node that had the anchor last: a name may be given again. */
  readonly #anchors = new Map<string, YamlNode>();
  #handles: Map<string, string> = new Map(defaultHandles);
  /** How many collections are open. */
  #depth = 0;
  #isFirst = true;
  /** Where what was read last starts: a document, a node or the end of a collection. */
  #last: Mark = { index: 0, line: 0, column: 0 };

  constructor(
    text: string,
    file: string | undefined,
    firstLine: number,
    lookAhead: number,
    comments?: Comments,
  ) {
    this.#firstLine = firstLine;
    this.#scanner = new Scanner(text, lookAhead, comments);
    this.#file = file;
    this.#isLegacy = lookAhead === 0;
  }

  /** The next document; undefined when none is left. */
  document(): YamlNode | undefined {
    try {
      return this.#readDocument();
    } catch (error) {
      if (error instanceof YamlError) error.after = this.#last;
      throw error;
    }
  }

  #readDocument(): YamlNode | undefined {
    const scanner = this.#scanner;
    if (this.#isFirst) scanner.next();
    while (scanner.peek().kind === 'document-end') scanner.next();
    if (scanner.peek().kind === 'stream-end') return undefined;
    const needsStart = this.#readDirectives() || !this.#isFirst;
    const first = scanner.peek();
    this.#last = first.start;
    if (first.kind === 'document-start') scanner.next();
    else if (needsStart) {
      throw new YamlError('parser', 'did not find expected <document start>', first.start);
    }
    this.#isFirst = false;
    const root = this.#isDocumentOver(scanner.peek())
      ? this.#emptyScalar(scanner.peek().start)
      : this.#node(true, false);
    // Whatever follows is not this document's; but it must be a token.
    scanner.peek();
    return root;
  }

  /** Whether there were any. What an earlier document has named ends with it. */
  #readDirectives(): boolean {
    const scanner = this.#scanner;
    this.#anchors.clear();
    this.#handles = new Map(defaultHandles);
    let hasDirective = false;
    let hasVersion = false;
    const named = new Set<string>();
    for (;;) {
      const token = scanner.peek();
      if (token.kind === 'version-directive') {
        if (hasVersion) {
          throw new YamlError('parser', 'found duplicate %YAML directive', token.start);
        }
        hasVersion = true;
        if (token.value !== '1.1' && token.value !== '1.2') {
          throw new YamlError('parser', 'found incompatible YAML document', token.start);
        }
      } else if (token.kind === 'tag-directive') {
        if (named.has(token.handle)) {
          throw new YamlError('parser', 'found duplicate %TAG directive', token.start);
        }
        named.add(token.handle);
        this.#handles.set(token.handle, token.value);
      } else {
        return hasDirective;
      }
      hasDirective = true;
      scanner.next();
    }
  }

  #isDocumentOver(token: Token): boolean {
    switch (token.kind) {
      case 'version-directive':
      case 'tag-directive':
      case 'document-start':
      case 'document-end':
      case 'stream-end':
        return true;
      default:
        return false;
    }
  }

  #node(isBlock: boolean, allowsIndentless: boolean): YamlNode {
    this.#depth += 1;
    if (this.#depth > maxDepth) {
      throw new YamlError(
        'parser',
        `exceeded max depth of ${maxDepth}`,
        this.#scanner.peek().start,
      );
    }
    const node = this.#nodeAt(isBlock, allowsIndentless);
    this.#depth -= 1;
    return node;
  }

  #nodeAt(isBlock: boolean, allowsIndentless: boolean): YamlNode {
    const scanner = this.#scanner;
    let token = scanner.peek();
    if (token.kind === 'alias') {
      scanner.next();
      return this.#alias(token);
    }
    const start = token.start;
    let anchor: string | undefined;
    let tag = '';
    for (let turn = 0; turn < 2; turn += 1) {
      if (token.kind === 'anchor' && anchor === undefined) anchor = token.value;
      else if (token.kind === 'tag' && tag === '') tag = this.#tagOf(token, start);
      else break;
      scanner.next();
      token = scanner.peek();
    }
    if (allowsIndentless && token.kind === 'block-entry') {
      return this.#indentlessSequence(this.#open('sequence', tag, anchor, token.start));
    }
    switch (token.kind) {
      case 'scalar':
        scanner.next();
        return this.#scalar(token, tag, anchor);
      case 'flow-sequence-start':
        return this.#flowSequence(this.#open('sequence', tag, anchor, start));
      case 'flow-mapping-start':
        return this.#flowMapping(this.#open('map', tag, anchor, start));
      case 'block-sequence-start':
        if (isBlock) return this.#blockSequence(this.#open('sequence', tag, anchor, start));
        break;
      case 'block-mapping-start':
        if (isBlock) return this.#blockMapping(this.#open('map', tag, anchor, start));
        break;
    }
    if (anchor !== undefined || tag !== '') return this.#emptyScalar(start, tag, anchor);
    throw new YamlError('parser', 'did not find expected node content', token.start, start);
  }

  #alias(token: Token): YamlNode {
    const name = token.value;
    const target = this.#anchors.get(name);
    if (target === undefined) {
      throw new YamlError('composer', `unknown anchor '${name}' referenced`, token.start);
    }
    const node = new YamlNode('alias', '', name, noContent);
    node.setRare({ target });
    this.#last = token.start;
    node.line = token.start.line + this.#firstLine;
    node.file = this.#file;
    return node;
  }

  #tagOf(token: Token, start: Mark): string {
    const suffix = token.value;
    if (token.handle === '') return suffix;
    const prefix = this.#handles.get(token.handle);
    if (prefix === undefined) {
      throw new YamlError('parser', 'found undefined tag handle', token.start, start);
    }
    return prefix + suffix;
  }

  #open(kind: 'map' | 'sequence', tag: string, anchor: string | undefined, start: Mark): YamlNode {
    const fallback = kind === 'map' ? '!!map' : '!!seq';
    const node = new YamlNode(kind, tag === '' || tag === '!' ? fallback : shortTag(tag), '', []);
    return this.#register(node, anchor, start);
  }

  #register(node: YamlNode, anchor: string | undefined, start: Mark): YamlNode {
    this.#last = start;
    node.line = start.line + this.#firstLine;
    node.file = this.#file;
    if (anchor !== undefined) {
      node.setRare({ anchor });
      this.#anchors.set(anchor, node);
    }
    return node;
  }

  #scalar(token: Token, tag: string, anchor: string | undefined): YamlNode {
    const { value, style } = token;
    let nodeTag: string;
    if (tag !== '' && tag !== '!') nodeTag = shortTag(tag);
    else if (style !== 'plain' || tag === '!') nodeTag = '!!str';
    else nodeTag = tagOfScalar(value);
    const node = new YamlNode('scalar', nodeTag, value, noContent);
    node.style = style;
    node.isTagged = tag !== '';
    return this.#register(node, anchor, token.start);
  }

  #emptyScalar(start: Mark, tag = '', anchor?: string): YamlNode {
    // To the older library nothing after `!` is a text, to the newer one a null.
    const bare = tag === '!' && this.#isLegacy ? '!!str' : '!!null';
    const nodeTag = tag === '' || tag === '!' ? bare : shortTag(tag);
    const node = new YamlNode('scalar', nodeTag, '', noContent);
    node.isTagged = tag !== '';
    return this.#register(node, anchor, start);
  }

  #blockSequence(sequence: YamlNode): YamlNode {
    const scanner = this.#scanner;
    const start = scanner.next().start;
    for (;;) {
      const token = scanner.peek();
      if (token.kind === 'block-end') break;
      if (token.kind !== 'block-entry') {
        throw new YamlError('parser', "did not find expected '-' indicator", token.start, start);
      }
      scanner.next();
      const next = scanner.peek();
      const isEmpty = next.kind === 'block-entry' || next.kind === 'block-end';
      sequence.content.push(isEmpty ? this.#emptyScalar(token.start) : this.#node(true, false));
    }
    this.#last = scanner.next().start;
    return sequence;
  }

  #indentlessSequence(sequence: YamlNode): YamlNode {
    const scanner = this.#scanner;
    while (scanner.peek().kind === 'block-entry') {
      const entry = scanner.next();
      const { kind } = scanner.peek();
      const isEmpty =
        kind === 'block-entry' || kind === 'key' || kind === 'value' || kind === 'block-end';
      sequence.content.push(isEmpty ? this.#emptyScalar(entry.start) : this.#node(true, false));
    }
    this.#last = scanner.peek().start;
    return sequence;
  }

  #blockMapping(map: YamlNode): YamlNode {
    const scanner = this.#scanner;
    const start = scanner.next().start;
    for (;;) {
      const token = scanner.peek();
      if (token.kind === 'block-end') break;
      // Outside of brackets a value needs its key, be it only a question mark.
      if (token.kind === 'key') {
        scanner.next();
        map.content.push(this.#blockPart(token));
      } else {
        throw new YamlError('parser', 'did not find expected key', token.start, start);
      }
      const value = scanner.peek();
      if (value.kind === 'value') {
        scanner.next();
        map.content.push(this.#blockPart(value));
      } else {
        map.content.push(this.#emptyScalar(value.start));
      }
      const comment = scanner.schemaComments.get(token.start.line);
      if (comment !== undefined) map.content.at(-2)!.setRare({ schemaComment: comment });
    }
    this.#last = scanner.next().start;
    return map;
  }

  #blockPart(before: Token): YamlNode {
    const { kind } = this.#scanner.peek();
    const isEmpty = kind === 'key' || kind === 'value' || kind === 'block-end';
    return isEmpty ? this.#emptyScalar(before.start) : this.#node(true, true);
  }

  #flowSequence(sequence: YamlNode): YamlNode {
    const scanner = this.#scanner;
    sequence.style = 'flow';
    const start = scanner.next().start;
    for (let isFirst = true; ; isFirst = false) {
      let token = scanner.peek();
      if (token.kind === 'flow-sequence-end') break;
      if (!isFirst) {
        if (token.kind !== 'flow-entry') {
          throw new YamlError('parser', "did not find expected ',' or ']'", token.start, start);
        }
        scanner.next();
        token = scanner.peek();
        if (token.kind === 'flow-sequence-end') break;
      }
      sequence.content.push(token.kind === 'key' ? this.#flowPair() : this.#node(false, false));
    }
    this.#last = scanner.next().start;
    return sequence;
  }

  /** `a: b` between commas in a flow sequence is a map of its own. */
  #flowPair(): YamlNode {
    const scanner = this.#scanner;
    const start = scanner.next().start;
    const map = this.#open('map', '', undefined, start);
    map.style = 'flow';
    map.content.push(this.#flowKey(start, 'flow-sequence-end'));
    if (scanner.peek().kind === 'value') {
      const value = scanner.next();
      map.content.push(this.#flowValue(value.start, 'flow-sequence-end'));
    } else {
      map.content.push(this.#emptyScalar(scanner.peek().start));
    }
    return map;
  }

  #flowMapping(map: YamlNode): YamlNode {
    const scanner = this.#scanner;
    map.style = 'flow';
    const start = scanner.next().start;
    for (let isFirst = true; ; isFirst = false) {
      let token = scanner.peek();
      if (token.kind === 'flow-mapping-end') break;
      if (!isFirst) {
        if (token.kind !== 'flow-entry') {
          throw new YamlError('parser', "did not find expected ',' or '}'", token.start, start);
        }
        scanner.next();
        token = scanner.peek();
        if (token.kind === 'flow-mapping-end') break;
      }
      if (token.kind !== 'key') {
        map.content.push(this.#node(false, false), this.#emptyScalar(scanner.peek().start));
        continue;
      }
      scanner.next();
      map.content.push(this.#flowKey(token.start, 'flow-mapping-end'));
      if (scanner.peek().kind === 'value') {
        const value = scanner.next();
        map.content.push(this.#flowValue(value.start, 'flow-mapping-end'));
      } else {
        map.content.push(this.#emptyScalar(scanner.peek().start));
      }
    }
    this.#last = scanner.next().start;
    return map;
  }

  #flowKey(mark: Mark, end: 'flow-sequence-end' | 'flow-mapping-end'): YamlNode {
    if (this.#scanner.peek().kind === 'value') return this.#emptyScalar(mark);
    return this.#flowValue(mark, end);
  }

  #flowValue(mark: Mark, end: 'flow-sequence-end' | 'flow-mapping-end'): YamlNode {
    const { kind } = this.#scanner.peek();
    const isEmpty = kind === 'flow-entry' || kind === end;
    return isEmpty ? this.#emptyScalar(mark) : this.#node(false, false);
  }
}

function shortTag(tag: string): string {
  const long = 'tag:yaml.org,2002:';
  return tag.startsWith(long) ? `!!${tag.slice(long.length)}` : tag;
}
