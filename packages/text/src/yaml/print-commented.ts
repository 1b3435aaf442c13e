import type { Comments } from './comments.ts';
import type { YamlNode } from './node.ts';
import { tagOfScalar } from './resolve.ts';
import { blockText, doubleQuoted, mayBePlain, mayBeSingle, singleQuoted } from './scalar-text.ts';

/**
 * The YAML of a tree as it was written: order, quotes, brackets and comments stay; indentation and
 * blank lines become regular. Lines are never folded. It ends with a line break.
 *
 * ```ts
 * const read = parseCommentedYaml('# all\nlist:   [1,   2]\n');
 * read && printCommentedYaml(read.root, read.comments); // '# all\nlist: [1, 2]\n'
 * ```
 */
export function printCommentedYaml(root: YamlNode, comments: Comments): string {
  const emitter = new KeptEmitter(comments);
  return emitter.document(root);
}

class KeptEmitter {
  readonly #comments: Comments;
  #text = '';

  constructor(comments: Comments) {
    this.#comments = comments;
  }

  document(root: YamlNode): string {
    if (isBlock(root)) this.#block(root, 0);
    else this.#text = `${inline(root, 0, false)}\n`;
    for (const comment of this.#comments.takeBefore(Number.POSITIVE_INFINITY)) {
      this.#text += `${comment}\n`;
    }
    return this.#text;
  }

  #block(node: YamlNode, indent: number): void {
    if (node.kind === 'map') this.#map(node, indent);
    else this.#sequence(node, indent);
  }

  #map(node: YamlNode, indent: number): void {
    const { content } = node;
    for (let index = 0; index < content.length; index += 2) {
      const key = content[index]!;
      this.#start(key.line, indent);
      this.#text += `${inline(key, indent, true)}:`;
      const value = content[index + 1]!;
      this.#value(value, key.line, value.kind === 'sequence' ? indent : indent + 2, indent + 2);
    }
  }

  #sequence(node: YamlNode, indent: number): void {
    for (const item of node.content) {
      this.#start(item.line, indent);
      this.#text += '-';
      if (isBlock(item) && item.rare?.anchor === undefined) {
        this.#text += ' ';
        this.#block(item, indent + 2);
      } else {
        this.#value(item, item.line, indent + 2, indent + 2);
      }
    }
  }

  /** What follows `key:` or `-`: on the line, or on lines of its own. */
  #value(node: YamlNode, line: number, blockIndent: number, textIndent: number): void {
    const comment = this.#comments.takeAt(line);
    const after = comment === undefined ? '' : ` ${comment}`;
    if (isBlock(node)) {
      this.#text += `${anchorOf(node)}${after}\n`;
      this.#block(node, blockIndent);
      return;
    }
    const text = inline(node, textIndent, false);
    const [head, ...rest] = text.split('\n');
    this.#text += `${head === '' ? '' : ` ${head}`}${after}\n`;
    for (const each of rest) this.#text += `${each}\n`;
  }

  /** Begins a line, after the comments that stood before it; the first one follows a `- `. */
  #start(line: number, indent: number): void {
    const isInLine = this.#text !== '' && !this.#text.endsWith('\n');
    const margin = ' '.repeat(indent);
    for (const comment of this.#comments.takeBefore(line)) {
      if (isInLine) {
        const from = this.#text.lastIndexOf('\n') + 1;
        const opened = this.#text.slice(from);
        const before = opened.slice(0, opened.indexOf('-'));
        this.#text = `${this.#text.slice(0, from)}${before}${comment}\n${opened}`;
      } else {
        this.#text += `${margin}${comment}\n`;
      }
    }
    if (!isInLine) this.#text += margin;
  }
}

/** Whether a node takes lines of its own. */
function isBlock(node: YamlNode): boolean {
  return (
    (node.kind === 'map' || node.kind === 'sequence') &&
    node.style !== 'flow' &&
    node.content.length > 0
  );
}

function anchorOf(node: YamlNode): string {
  return node.rare?.anchor === undefined ? '' : ` &${node.rare.anchor}`;
}

function inline(node: YamlNode, indent: number, isKey: boolean): string {
  return node.kind === 'scalar' ? anchored(node, scalar(node, indent, isKey, false)) : flow(node);
}

function anchored(node: YamlNode, text: string): string {
  const anchor = anchorOf(node).trimStart();
  return anchor === '' ? text : `${anchor} ${text}`.trimEnd();
}

function flow(node: YamlNode): string {
  switch (node.kind) {
    case 'alias':
      return `*${node.value}`;
    case 'scalar':
      return anchored(node, scalar(node, 0, false, true));
    case 'sequence':
      return anchored(node, `[${node.content.map(flow).join(', ')}]`);
    case 'map': {
      const fields: string[] = [];
      for (let index = 0; index < node.content.length; index += 2) {
        fields.push(`${flow(node.content[index]!)}: ${flow(node.content[index + 1]!)}`);
      }
      return anchored(node, `{${fields.join(', ')}}`);
    }
  }
}

/** A scalar in its style, as far as its text allows that. */
function scalar(node: YamlNode, indent: number, isKey: boolean, isInFlow: boolean): string {
  const { value, style } = node;
  const isString = node.tag === '!!str' || node.tag === '';
  const meaning = tagOfScalar(value);
  // A tag is written out only where the text would be taken for something else.
  const tag =
    node.isTagged || !(isString || style !== 'plain' || meaning === node.tag) ? `${node.tag} ` : '';
  const canBeBlock = !isKey && !isInFlow;
  if (canBeBlock && (style === 'literal' || (style === 'plain' && value.includes('\n')))) {
    const block = blockText(value, indent);
    if (block !== undefined) return tag + block;
  }
  if (canBeBlock && style === 'folded' && !/^ |\n /.test(value)) {
    // What separates two lines there is an empty one.
    const block = blockText(value.replace(/\n(?=[^\n])/g, '\n\n'), indent);
    if (block !== undefined) return `${tag}>${block.slice(1)}`;
  }
  if (style === 'single') return tag + quoted(value);
  if (style !== 'plain') return tag + doubleQuoted(value, 0, 0, false);
  if (tag === '' && isString && node.tag !== '' && meaning !== '!!str') {
    return doubleQuoted(value, 0, 0, false);
  }
  if (value === '') return tag + (isInFlow || isKey ? "''" : '');
  return tag + (mayBePlain(value, isInFlow) ? value : quoted(value));
}

function quoted(value: string): string {
  return mayBeSingle(value) ? singleQuoted(value, 0, 0, false) : doubleQuoted(value, 0, 0, false);
}
