import type { YamlBuilder } from './builder.ts';
import { internedSlice } from './interned.ts';
import { QuickFlow } from './quick-flow.ts';
import { QuickText } from './quick-text.ts';

/** What is nested deeper is left to the parser proper, which has a limit. */
const maxDepth = 100;

/**
 * Reads a document of the plain sort, which nearly all manifests are: maps and lists in block form,
 * scalars and brackets that end on their line, literal blocks. Undefined when the text holds
 * anything else, be it an anchor, a tag or a mistake: the parser proper then starts over. Whatever
 * comes back is exactly what it would have made, in a third of the time.
 *
 * @example
 * parseQuickly('a: 1', { key: (text) => text, scalar: (text) => text, nothing: () => '', sequence: () => '-', map: (parts, from) => parts.slice(from).join('=') }); // 'a=1'
 */
export function parseQuickly<T>(text: string, builder: YamlBuilder<T>): T | undefined {
  if (!QuickText.isPlain(text)) return undefined;
  return new QuickParser(new QuickText(text, false), builder).document();
}

/** A document, and the line, from zero, on which it starts. */
interface QuickDocument<T> {
  readonly root: T;
  readonly line: number;
}

/** All documents of a text, or the first one only, on the same terms; empty ones are left out. */
export function parseAllQuickly<T>(
  text: string,
  builder: YamlBuilder<T>,
  which: 'first' | 'all',
): QuickDocument<T>[] | undefined {
  if (!QuickText.isPlain(text)) return undefined;
  return new QuickParser(new QuickText(text, true), builder).documents(which);
}

class QuickParser<T> {
  readonly #reader: QuickText;
  readonly #text: string;
  readonly #builder: YamlBuilder<T>;
  readonly #flow: QuickFlow<T>;
  /** Parts of the collections that are open; each takes its own off when it closes. */
  readonly #open: T[] = [];
  #depth = 0;

  constructor(reader: QuickText, builder: YamlBuilder<T>) {
    this.#reader = reader;
    this.#text = reader.text;
    this.#builder = builder;
    this.#flow = new QuickFlow(reader, builder, this.#open);
  }

  document(): T | undefined {
    const reader = this.#reader;
    if (!reader.nextLine() && !(reader.skipMarker() && reader.nextLine())) return undefined;
    return reader.isEnded ? undefined : this.#root();
  }

  documents(which: 'first' | 'all'): QuickDocument<T>[] | undefined {
    const reader = this.#reader;
    const documents: QuickDocument<T>[] = [];
    // What precedes the first marker is a document only if there is anything.
    let isDocument = false;
    do {
      if (!reader.nextLine()) return undefined;
      if (!reader.isEnded) {
        const { line } = reader;
        const root = this.#root();
        if (root === undefined) return undefined;
        documents.push({ root, line });
        isDocument = true;
      }
      if (isDocument && which === 'first') break;
      isDocument = true;
    } while (reader.openDocument());
    return documents;
  }

  /** The map or list that is a document. Texts that are but a scalar are left to the parser proper. */
  #root(): T | undefined {
    const reader = this.#reader;
    const code = reader.code();
    const isCollection = code === 0x7b || code === 0x5b || reader.isEntry() || reader.hasKey();
    const root = isCollection ? this.#block(-1) : undefined;
    return reader.isEnded ? root : undefined;
  }

  /** The node that starts at the cursor, on a line of its own or after `- `, deeper than `outer`. */
  #block(outer: number): T | undefined {
    const reader = this.#reader;
    this.#depth += 1;
    if (this.#depth > maxDepth) return undefined;
    let node: T | undefined;
    if (reader.isEntry()) node = this.#sequence(reader.column);
    else if (reader.hasKey()) node = this.#map(reader.column);
    else node = this.#inline(outer);
    this.#depth -= 1;
    return node;
  }

  #sequence(column: number): T | undefined {
    const reader = this.#reader;
    const open = this.#open;
    const builder = this.#builder;
    const from = open.length;
    const start = reader.line;
    do {
      const { line } = reader;
      reader.skipEntry();
      let item: T | undefined;
      if (!reader.isAtLineEnd()) item = this.#block(column);
      else if (!reader.nextLine()) return undefined;
      else if (reader.column > column) item = this.#block(column);
      else item = builder.nothing(line);
      if (item === undefined || reader.column > column) return undefined;
      open.push(item);
    } while (reader.column === column && reader.isEntry());
    const made = builder.sequence(open, from, start, false);
    open.length = from;
    return made;
  }

  #map(column: number): T | undefined {
    const reader = this.#reader;
    const open = this.#open;
    const builder = this.#builder;
    const from = open.length;
    const start = reader.line;
    do {
      const text = internedSlice(this.#text, reader.keyFrom, reader.keyTo);
      const key = builder.key(text, reader.keyStyle, reader.line);
      if (key === undefined) return undefined;
      open.push(key);
      reader.skipKey();
      const value = this.#valueOf(column);
      if (value === undefined || reader.column > column) return undefined;
      open.push(value);
    } while (reader.column === column && reader.hasKey());
    // An entry where a key belongs is an error, which the parser proper words.
    if (reader.column === column && !reader.isEnded) return undefined;
    const made = builder.map(open, from, start, false);
    open.length = from;
    return made;
  }

  /** What follows `key:`, of a map in that column. */
  #valueOf(column: number): T | undefined {
    const reader = this.#reader;
    if (!reader.isAtLineEnd()) return this.#inline(column);
    const { line } = reader;
    if (!reader.nextLine()) return undefined;
    if (reader.column > column) return this.#block(column);
    if (reader.column === column && reader.isEntry()) return this.#sequence(column);
    return this.#builder.nothing(line);
  }

  /** A scalar or a bracket; afterwards the cursor is at the next line that holds anything. */
  #inline(outer: number): T | undefined {
    const reader = this.#reader;
    const builder = this.#builder;
    const { line } = reader;
    const code = reader.code();
    let node: T | undefined;
    if (code === 0x7b || code === 0x5b) {
      node = this.#flow.collection();
    } else if (code === 0x7c) {
      return this.#literal(outer);
    } else if (code === 0x22 || code === 0x27) {
      const value = reader.quoted();
      if (value === undefined) return undefined;
      node = builder.scalar(value, code === 0x22 ? 'double' : 'single', line);
    } else {
      const to = reader.plainEnd();
      if (to < 0) return undefined;
      node = builder.scalar(internedSlice(this.#text, reader.index, to), 'plain', line);
      reader.index = to;
    }
    if (node === undefined || !reader.isAtLineEnd() || !reader.nextLine()) return undefined;
    return node;
  }

  #literal(outer: number): T | undefined {
    const reader = this.#reader;
    const { line } = reader;
    const value = reader.literal(outer);
    if (value === undefined || !reader.nextLine()) return undefined;
    return this.#builder.scalar(value, 'literal', line);
  }
}
