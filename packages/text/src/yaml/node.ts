import type { NodeStyle } from './token.ts';

export type NodeKind = 'scalar' | 'map' | 'sequence' | 'alias';

const stringTag = '!!str';
const nullTag = '!!null';
const mapTag = '!!map';
const sequenceTag = '!!seq';
export const mergeTag = '!!merge';

/** What all scalars hold. A scalar that becomes a map or a sequence gets a list of its own. */
export const noContent: YamlNode[] = Object.freeze([]) as unknown as YamlNode[];

interface RareParts {
  readonly anchor?: string | undefined;
  readonly target?: YamlNode;
  readonly schemaComment?: string;
}

/**
 * One node of a document tree. It is one class for all kinds, because a transformation may turn a
 * null into a map in place, and because it keeps property access fast on trees of many thousands.
 *
 * ```ts
 * const node = parseYamlNode('spec: {replicas: 2}');
 * node?.at('spec', 'replicas')?.value; // '2'
 * ```
 */
export class YamlNode {
  kind: NodeKind;
  /** The short tag, such as `!!str`; empty when only the text decides what the scalar is. */
  tag: string;
  /** The text of a scalar; the anchor's name of an alias. */
  value: string;
  style: NodeStyle;
  /** Whether the tag was written out. It then outweighs quotes. */
  isTagged: boolean;
  /** The items of a sequence; keys and values of a map by turns. */
  content: YamlNode[];
  /** What few nodes have; apart, as trees have a hundred thousand others. */
  rare: RareParts | undefined;
  /** Where the node was read, for messages and `explain`: zero-based line in `file`. */
  line: number;
  file: string | undefined;

  constructor(kind: NodeKind, tag: string, value: string, content: YamlNode[]) {
    this.kind = kind;
    this.tag = tag;
    this.value = value;
    this.style = 'plain';
    this.isTagged = false;
    this.content = content;
    this.rare = undefined;
    this.line = -1;
    this.file = undefined;
  }

  /** Becomes the other node, where it stands; what the other holds is shared, not copied. */
  become(other: YamlNode): void {
    this.kind = other.kind;
    this.tag = other.tag;
    this.value = other.value;
    this.style = other.style;
    this.isTagged = other.isTagged;
    this.content = other.content;
    this.rare = other.rare;
    this.line = other.line;
    this.file = other.file;
  }

  copy(): YamlNode {
    const copy = new YamlNode(
      this.kind,
      this.tag,
      this.value,
      this.kind === 'scalar' ? noContent : this.content.map(copyNode),
    );
    copy.style = this.style;
    copy.isTagged = this.isTagged;
    copy.rare = this.rare;
    copy.line = this.line;
    copy.file = this.file;
    return copy;
  }

  get anchor(): string | undefined {
    return this.rare?.anchor;
  }

  /** The node that an alias stands for. */
  get target(): YamlNode | undefined {
    return this.rare?.target;
  }

  /** A schema in a comment beside a key, as text. */
  get schemaComment(): string | undefined {
    return this.rare?.schemaComment;
  }

  setRare(part: RareParts): void {
    this.rare = { ...this.rare, ...part };
  }

  /** The value of a field; undefined when this is not a map or has no such field. */
  get(name: string): YamlNode | undefined {
    if (this.kind !== 'map') return undefined;
    const { content } = this;
    for (let index = 0; index < content.length; index += 2) {
      if (content[index]!.value === name) return content[index + 1];
    }
    return undefined;
  }

  /** The value at a path of fields. */
  at(...names: string[]): YamlNode | undefined {
    let node: YamlNode | undefined = this;
    for (const name of names) {
      node = node.get(name);
      if (node === undefined) return undefined;
    }
    return node;
  }

  /** Puts a value in place of the field's, or appends the field. */
  set(name: string, value: YamlNode): void {
    const { content } = this;
    for (let index = 0; index < content.length; index += 2) {
      if (content[index]!.value !== name) continue;
      content[index + 1] = value;
      return;
    }
    content.push(newKey(name), value);
  }

  /** Removes the first field of the name, and returns its value. */
  remove(name: string): YamlNode | undefined {
    if (this.kind !== 'map') return undefined;
    const { content } = this;
    for (let index = 0; index < content.length; index += 2) {
      if (content[index]!.value === name) return content.splice(index, 2)[1];
    }
    return undefined;
  }

  isNull(): boolean {
    return this.tag === nullTag;
  }
}

function copyNode(node: YamlNode): YamlNode {
  return node.copy();
}

/**
 * Absent, or explicitly null.
 *
 * ```ts
 * isMissingOrNull(parseYamlNode('a: ~')?.get('a')); // true
 * isMissingOrNull(parseYamlNode('a: []')?.get('a')); // false
 * ```
 */
export function isMissingOrNull(node: YamlNode | undefined): boolean {
  return node === undefined || node.tag === nullTag;
}

/**
 * There, and not null.
 *
 * ```ts
 * isPresent(parseYamlNode('a: 1')?.get('a')); // true
 * isPresent(parseYamlNode('a: 1')?.get('b')); // false
 * ```
 */
export function isPresent(node: YamlNode | undefined): node is YamlNode {
  return node !== undefined && node.tag !== nullTag;
}

/**
 * Absent, null, or a map or sequence with nothing in it.
 *
 * ```ts
 * isMissingOrEmpty(parseYamlNode('a: []')?.get('a')); // true
 * ```
 */
export function isMissingOrEmpty(node: YamlNode | undefined): boolean {
  if (node === undefined || node.tag === nullTag) return true;
  if (node.kind === 'scalar') return false;
  return node.content.length === 0;
}

/**
 * The node of a key that no file had: it has no line.
 *
 * ```ts
 * newKey('name').value; // 'name'
 * ```
 */
export function newKey(name: string): YamlNode {
  return new YamlNode('scalar', '', name, noContent);
}

/**
 * A scalar whose type is decided by its text.
 *
 * ```ts
 * newScalar('5').value; // '5', which prints without quotes and is read as a number
 * ```
 */
export function newScalar(value: string): YamlNode {
  return new YamlNode('scalar', '', value, noContent);
}

/**
 * A scalar that is text, whatever it looks like.
 *
 * ```ts
 * newString('5').value; // '5', which prints in quotes
 * ```
 */
export function newString(value: string): YamlNode {
  return new YamlNode('scalar', stringTag, value, noContent);
}

/**
 * A map; keys and values alternate in its content.
 *
 * ```ts
 * const map = newMap();
 * map.set('name', newString('web'));
 * map.get('name')?.value; // 'web'
 * ```
 */
export function newMap(content: YamlNode[] = []): YamlNode {
  return new YamlNode('map', mapTag, '', content);
}

/**
 * A sequence of nodes.
 *
 * ```ts
 * newSequence([newString('a')]).content.length; // 1
 * ```
 */
export function newSequence(content: YamlNode[] = []): YamlNode {
  return new YamlNode('sequence', sequenceTag, '', content);
}
