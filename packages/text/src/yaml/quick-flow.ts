import { internedSlice } from './interned.ts';
import { NO_CONTENT, YamlNode } from './node.ts';
import type { QuickText } from './quick-text.ts';
import { tagOfScalar } from './resolve.ts';

const MAX_DEPTH = 50;

/** Reads brackets that open and close on one line, for the quick parser. */
export class QuickFlow {
  private readonly reader: QuickText;
  private readonly file: string | undefined;
  private readonly firstLine: number;
  private depth = 0;

  constructor(reader: QuickText, file: string | undefined, firstLine: number) {
    this.reader = reader;
    this.file = file;
    this.firstLine = firstLine;
  }

  /** The map or the list at the cursor. */
  collection(): YamlNode | undefined {
    const { reader } = this;
    const isMap = reader.code() === 0x7b;
    const close = isMap ? 0x7d : 0x5d;
    this.depth += 1;
    if (this.depth > MAX_DEPTH) return undefined;
    const node = this.newNode(isMap ? 'map' : 'sequence', isMap ? '!!map' : '!!seq', '');
    node.style = 'flow';
    const content: YamlNode[] = [];
    reader.index += 1;
    reader.skipSpaces();
    while (reader.code() !== close) {
      if (isMap) {
        const key = this.key();
        if (key === undefined) return undefined;
        content.push(key);
      }
      const value = this.value();
      if (value === undefined) return undefined;
      content.push(value);
      reader.skipSpaces();
      if (reader.code() === close) break;
      if (reader.code() !== 0x2c) return undefined;
      reader.index += 1;
      reader.skipSpaces();
      // A comma before the bracket is allowed, and rare.
      if (reader.code() === close) return undefined;
    }
    reader.index += 1;
    this.depth -= 1;
    node.content = content.slice();
    return node;
  }

  private key(): YamlNode | undefined {
    const { reader } = this;
    const from = reader.index;
    const isQuoted = reader.code() === 0x22 || reader.code() === 0x27;
    const node = this.scalar();
    if (node === undefined || reader.index - from > 1000) return undefined;
    reader.skipSpaces();
    if (reader.code() !== 0x3a) return undefined;
    // Only after quotes may a value follow the colon at once.
    if (!isQuoted && reader.code(1) !== 0x20) return undefined;
    reader.index += 1;
    reader.skipSpaces();
    return node;
  }

  private value(): YamlNode | undefined {
    const code = this.reader.code();
    return code === 0x7b || code === 0x5b ? this.collection() : this.scalar();
  }

  private scalar(): YamlNode | undefined {
    const { reader } = this;
    const code = reader.code();
    if (code === 0x22 || code === 0x27) {
      const value = reader.quoted();
      if (value === undefined) return undefined;
      const node = this.newNode('scalar', '!!str', value);
      node.style = code === 0x22 ? 'double' : 'single';
      return node;
    }
    const to = reader.flowPlainEnd();
    if (to < 0) return undefined;
    const value = internedSlice(reader.text, reader.index, to);
    reader.index = to;
    return this.newNode('scalar', tagOfScalar(value), value);
  }

  private newNode(kind: 'scalar' | 'map' | 'sequence', tag: string, value: string): YamlNode {
    const node = new YamlNode(kind, tag, value, NO_CONTENT);
    node.line = this.reader.line + this.firstLine;
    node.file = this.file;
    return node;
  }
}
