import { TextError } from '../error.ts';
import { yamlString } from './scalar-text.ts';

/** Longer keys are written in the `? key` form. */
const maxSimpleKey = 128;
const maxDepth = 1000;
const maxPart = 16_384;

/** A field of a map. */
export interface YamlField<T> {
  readonly key: string;
  readonly value: T;
}

/** What the writer asks of a tree, so that nodes and plain values are written by the same hand. */
export interface YamlView<T> {
  /** Collections with nothing in them are leaves. */
  kindOf(value: T): 'leaf' | 'map' | 'sequence';
  itemsOf(sequence: T): readonly T[];
  /** The fields in the order in which they are written. */
  fieldsOf(map: T): readonly YamlField<T>[];
  /** The text of a leaf; a string is given to `quote`, which puts it into the style that it needs. */
  leaf(value: T, isMarked: boolean, quote: (text: string) => string): string;
  /** Whether all that is below a collection is marked; `key` is that of its field. */
  marks(collection: T, key: string | undefined): boolean;
}

/** How Go's libraries lay out, where they differ. */
export interface YamlLayout {
  /** Lists below a key stand two spaces to the right of it. */
  readonly indentsLists?: boolean;
  /** Long lines stay as they are. */
  readonly keepsLines?: boolean;
  /** The key `<<` has no quotes, although it reads as a merge then. */
  readonly barelyMerges?: boolean;
}

/**
 * YAML as Go's programs print it: two spaces, lists not indented, quotes only where YAML 1.1 needs them,
 * long text folded at 80 columns. It ends with a line break.
 *
 * ```ts
 * type Tree = string | Tree[];
 * const view = {
 *   kindOf: (value: Tree) => (typeof value === 'string' ? ('leaf' as const) : ('sequence' as const)),
 *   itemsOf: (value: Tree) => value as Tree[],
 *   fieldsOf: () => [],
 *   leaf: (value: Tree, _: boolean, quote: (text: string) => string) => quote(value as string),
 *   marks: () => false,
 * };
 * writeYaml<Tree>(['a', 'yes'], view); // '- a\n- "yes"\n'
 * ```
 */
export function writeYaml<T>(root: T, view: YamlView<T>, layout: YamlLayout = {}): string {
  return new YamlWriter(view, layout).document(root);
}

class YamlWriter<T> {
  readonly #view: YamlView<T>;
  /** What is written, but for the last part, which is `text`. */
  readonly #parts: string[] = [];
  #text = '';
  #depth = 0;
  /** Where the leaf starts, and where further lines of it go. */
  #column = 0;
  #margin = 0;
  readonly #listIndent: number;
  readonly #mayFold: boolean;
  readonly #barelyMerges: boolean;
  readonly #quote = (text: string): string =>
    yamlString(text, this.#column, this.#margin, false, this.#mayFold);

  constructor(view: YamlView<T>, layout: YamlLayout) {
    this.#view = view;
    this.#listIndent = layout.indentsLists ? 2 : 0;
    this.#mayFold = !layout.keepsLines;
    this.#barelyMerges = layout.barelyMerges ?? false;
  }

  document(root: T): string {
    this.#part(root, undefined, 0, false);
    return this.#parts.join('') + this.#text;
  }

  /** Writes a value where the cursor is: its first line's margin is there already. */
  #part(value: T, key: string | undefined, indent: number, isMarked: boolean): void {
    const view = this.#view;
    switch (view.kindOf(value)) {
      case 'leaf':
        this.#leaf(value, indent, indent === 0 ? 2 : indent, isMarked);
        break;
      case 'map':
        this.#map(value, indent, isMarked || view.marks(value, key));
        break;
      case 'sequence':
        this.#sequence(value, indent, isMarked || view.marks(value, key));
    }
  }

  #leaf(value: T, column: number, margin: number, isMarked: boolean): void {
    this.#column = column;
    this.#margin = margin;
    this.#text += `${this.#view.leaf(value, isMarked, this.#quote)}\n`;
    if (this.#text.length > maxPart) this.#closePart();
  }

  /**
   * A string that is put together piece by piece is a tree of its pieces, until somebody looks into it. A big
   * one would keep the garbage collector busy for longer than the writing takes.
   */
  #closePart(): void {
    this.#text.charCodeAt(0);
    this.#parts.push(this.#text);
    this.#text = '';
  }

  #map(map: T, indent: number, isMarked: boolean): void {
    this.#enter();
    const margin = ' '.repeat(indent);
    let isFirst = true;
    for (const { key, value } of this.#view.fieldsOf(map)) {
      if (!isFirst) this.#text += margin;
      isFirst = false;
      if (isSimpleKey(key)) {
        const keyText = key === '<<' && this.#barelyMerges ? key : textOfKey(key);
        this.#text += `${keyText}:`;
        this.#value(value, key, indent, indent + keyText.length + 2, isMarked);
      } else {
        // A collection starts on the line of the colon then.
        this.#text += `? ${yamlString(key, indent + 2, indent + 2, false)}\n${margin}: `;
        this.#part(value, key, indent + 2, isMarked);
      }
    }
    this.#depth -= 1;
  }

  /** What follows `key:`; a leaf starts at the column. */
  #value(value: T, key: string, indent: number, column: number, isMarked: boolean): void {
    const view = this.#view;
    const kind = view.kindOf(value);
    if (kind === 'leaf') {
      this.#text += ' ';
      this.#leaf(value, column, indent + 2, isMarked);
    } else if (kind === 'map') {
      this.#text += `\n${' '.repeat(indent + 2)}`;
      this.#map(value, indent + 2, isMarked || view.marks(value, key));
    } else {
      const listIndent = indent + this.#listIndent;
      this.#text += `\n${' '.repeat(listIndent)}`;
      this.#sequence(value, listIndent, isMarked || view.marks(value, key));
    }
  }

  #sequence(sequence: T, indent: number, isMarked: boolean): void {
    this.#enter();
    const margin = ' '.repeat(indent);
    let isFirst = true;
    for (const item of this.#view.itemsOf(sequence)) {
      this.#text += isFirst ? '- ' : `${margin}- `;
      isFirst = false;
      this.#part(item, undefined, indent + 2, isMarked);
    }
    this.#depth -= 1;
  }

  #enter(): void {
    this.#depth += 1;
    if (this.#depth <= maxDepth) return;
    throw new TextError('WG_TEXT_YAML', `a value is nested deeper than ${maxDepth}`);
  }
}

/** How keys are written; manifests repeat the same few. Bounded, and emptied when it is full. */
const keyTexts = new Map<string, string>();
const maxKeyTexts = 4096;

function textOfKey(key: string): string {
  let text = keyTexts.get(key);
  if (text === undefined) {
    // A key is never folded: where it stands makes no difference. Without quotes this one is a merge.
    text = key === '<<' ? '"<<"' : yamlString(key, 0, 0, true);
    if (keyTexts.size >= maxKeyTexts) keyTexts.clear();
    keyTexts.set(key, text);
  }
  return text;
}

function isSimpleKey(key: string): boolean {
  if (/[\n\r\u0085\u2028\u2029]/.test(key)) return false;
  return key.length <= maxSimpleKey / 4 || Buffer.byteLength(key) <= maxSimpleKey;
}
