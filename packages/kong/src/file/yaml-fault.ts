import { YamlFault } from './yaml-cursor.ts';
import { type Token, type TokenKind, YamlScanner } from './yaml-scanner.ts';

/** A document may be nested, but not so deep that reading it would be an attack. */
const deepest = 1000;

/** Goes through the structure of the first document as Go's reader does, up to where it gives up. */
class StructureReader {
  readonly #scanner: YamlScanner;
  readonly #anchors = new Set<string>();
  #depth = 0;

  constructor(text: string) {
    this.#scanner = new YamlScanner(text);
  }

  readDocument(): void {
    if (this.#is('stream-end')) return;
    if (this.#is('directive')) {
      while (this.#is('directive')) this.#scanner.take();
      if (!this.#is('document-start')) throw this.#fault('did not find expected <document start>');
    }
    if (this.#is('document-start')) {
      this.#scanner.take();
      if (this.#is('directive', 'document-start', 'document-end', 'stream-end')) return;
    }
    this.#readNode(true, false);
    if (this.#is('document-start', 'document-end', 'stream-end')) return;
    throw this.#fault('did not find expected <document start>');
  }

  #is(...kinds: readonly TokenKind[]): boolean {
    return kinds.includes(this.#scanner.peek().kind);
  }

  #fault(message: string): YamlFault {
    return new YamlFault(message, this.#scanner.peek().line, false);
  }

  /** Reads a node unless one of these follows: then the node is empty. */
  #readNodeUnless(kinds: readonly TokenKind[], isBlock: boolean, mayBeIndentless: boolean): void {
    if (!this.#is(...kinds)) this.#readNode(isBlock, mayBeIndentless);
  }

  #readNode(isBlock: boolean, mayBeIndentless: boolean): void {
    this.#depth += 1;
    if (this.#depth > deepest) throw this.#fault('exceeded max depth of 10000');
    this.#readContent(isBlock, mayBeIndentless);
    this.#depth -= 1;
  }

  #readContent(isBlock: boolean, mayBeIndentless: boolean): void {
    if (this.#is('alias')) {
      const { name = '' } = this.#scanner.take();
      if (this.#anchors.has(name)) return;
      throw new YamlFault(`unknown anchor '${name}' referenced`, 0, false);
    }
    const hasProperties = this.#readProperties();
    const { kind } = this.#scanner.peek();
    if (kind === 'entry' && mayBeIndentless) this.#readIndentless();
    else if (kind === 'scalar') this.#scanner.take();
    else if (kind === '[') this.#readFlowSequence();
    else if (kind === '{') this.#readFlowMapping();
    else if (kind === 'sequence-start' && isBlock) this.#readSequence();
    else if (kind === 'mapping-start' && isBlock) this.#readMapping();
    else if (!hasProperties) throw this.#fault('did not find expected node content');
  }

  #readProperties(): boolean {
    let last: Token | undefined;
    while (this.#is('anchor', 'tag') && this.#scanner.peek().kind !== last?.kind) {
      last = this.#scanner.take();
      if (last.name !== undefined) this.#anchors.add(last.name);
    }
    return last !== undefined;
  }

  #readSequence(): void {
    this.#scanner.take();
    while (this.#is('entry')) {
      this.#scanner.take();
      this.#readNodeUnless(['entry', 'block-end'], true, false);
    }
    if (!this.#is('block-end')) throw this.#fault("did not find expected '-' indicator");
    this.#scanner.take();
  }

  #readIndentless(): void {
    while (this.#is('entry')) {
      this.#scanner.take();
      this.#readNodeUnless(['entry', 'key', 'value', 'block-end'], true, false);
    }
  }

  #readMapping(): void {
    this.#scanner.take();
    const ends = ['key', 'value', 'block-end'] as const;
    while (this.#is('key')) {
      this.#scanner.take();
      this.#readNodeUnless(ends, true, true);
      if (!this.#is('value')) continue;
      this.#scanner.take();
      this.#readNodeUnless(ends, true, true);
    }
    if (!this.#is('block-end')) throw this.#fault('did not find expected key');
    this.#scanner.take();
  }

  #readFlowSequence(): void {
    this.#scanner.take();
    for (let isFirst = true; !this.#is(']'); isFirst = false) {
      if (!isFirst) this.#readComma(']');
      if (this.#is('key')) this.#readPair(']');
      else this.#readNodeUnless([']'], false, false);
    }
    this.#scanner.take();
  }

  #readFlowMapping(): void {
    this.#scanner.take();
    for (let isFirst = true; !this.#is('}'); isFirst = false) {
      if (!isFirst) this.#readComma('}');
      if (this.#is('key')) this.#readPair('}');
      else this.#readNodeUnless(['}'], false, false);
    }
    this.#scanner.take();
  }

  #readComma(end: ']' | '}'): void {
    if (!this.#is(',')) throw this.#fault(`did not find expected ',' or '${end}'`);
    this.#scanner.take();
  }

  #readPair(end: ']' | '}'): void {
    this.#scanner.take();
    this.#readNodeUnless(['value', ',', end], false, false);
    if (!this.#is('value')) return;
    this.#scanner.take();
    this.#readNodeUnless([',', end], false, false);
  }
}

/**
 * What Go's YAML reader, which people know from decK, says of a text that it cannot read, or undefined
 * when it can. It counts the lines of a mistake in a token from one, of one in the structure from
 * zero, and does not name the first line at all.
 */
export function findYamlFault(text: string): string | undefined {
  try {
    new StructureReader(text).readDocument();
    return undefined;
  } catch (error) {
    if (!(error instanceof YamlFault)) throw error;
    const { line, isInToken, message } = error;
    const shown = isInToken && line > 0 ? line + 1 : line;
    return `yaml: ${shown > 0 ? `line ${shown}: ` : ''}${message}`;
  }
}
