import { decodeJson, encodeJson, isObject } from '@waygate/text';

/**
 * A set of field paths, as a tree. A key is a path element in its text form: `f:name`,
 * `k:{"port":80}`, `v:"text"` or `i:0`. `isMember` says that the path to this node itself
 * is in the set. Immutable: operations return new sets and share what did not change.
 */
export class FieldSet {
  readonly isMember: boolean;
  readonly children: ReadonlyMap<string, FieldSet>;

  constructor(isMember: boolean, children: ReadonlyMap<string, FieldSet>) {
    this.isMember = isMember;
    this.children = children;
  }

  static readonly empty = new FieldSet(false, new Map());
  static readonly leaf = new FieldSet(true, new Map());

  static of(paths: Iterable<readonly string[]>): FieldSet {
    const builder = new FieldSetBuilder();
    for (const path of paths) builder.add(path);
    return builder.build();
  }

  get isEmpty(): boolean {
    return !this.isMember && this.children.size === 0;
  }

  child(element: string): FieldSet | undefined {
    return this.children.get(element);
  }

  has(path: readonly string[]): boolean {
    let node: FieldSet | undefined = this;
    for (const element of path) {
      node = node.children.get(element);
      if (node === undefined) return false;
    }
    return node.isMember;
  }

  union(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    if (this.isEmpty) return other;
    const children = new Map(this.children);
    for (const [element, node] of other.children) {
      const mine = children.get(element);
      children.set(element, mine === undefined ? node : mine.union(node));
    }
    return new FieldSet(this.isMember || other.isMember, children);
  }

  /** Without the members of the other; children of a removed path stay. */
  difference(other: FieldSet): FieldSet {
    if (other.isEmpty || this.isEmpty) return this;
    const children = new Map<string, FieldSet>();
    for (const [element, node] of this.children) {
      const theirs = other.children.get(element);
      const rest = theirs === undefined ? node : node.difference(theirs);
      if (!rest.isEmpty) children.set(element, rest);
    }
    return new FieldSet(this.isMember && !other.isMember, children);
  }

  /** Without the members of the other and all that is below them. */
  recursiveDifference(other: FieldSet): FieldSet {
    if (other.isMember) return FieldSet.empty;
    if (other.isEmpty || this.isEmpty) return this;
    const children = new Map<string, FieldSet>();
    for (const [element, node] of this.children) {
      const theirs = other.children.get(element);
      const rest = theirs === undefined ? node : node.recursiveDifference(theirs);
      if (!rest.isEmpty) children.set(element, rest);
    }
    return new FieldSet(this.isMember, children);
  }

  intersection(other: FieldSet): FieldSet {
    if (this.isEmpty || other.isEmpty) return FieldSet.empty;
    const children = new Map<string, FieldSet>();
    for (const [element, node] of this.children) {
      const theirs = other.children.get(element);
      if (theirs === undefined) continue;
      const common = node.intersection(theirs);
      if (!common.isEmpty) children.set(element, common);
    }
    return new FieldSet(this.isMember && other.isMember, children);
  }

  equals(other: FieldSet): boolean {
    if (this.isMember !== other.isMember || this.children.size !== other.children.size) {
      return false;
    }
    for (const [element, node] of this.children) {
      const theirs = other.children.get(element);
      if (theirs === undefined || !node.equals(theirs)) return false;
    }
    return true;
  }

  /** The members, in the order in which the API lists them. */
  *paths(prefix: readonly string[] = []): Generator<readonly string[]> {
    const elements = [...this.children.keys()].sort(compareElements);
    for (const element of elements) {
      const node = this.children.get(element) as FieldSet;
      if (node.isMember) yield [...prefix, element];
    }
    for (const element of elements) {
      const node = this.children.get(element) as FieldSet;
      yield* node.paths([...prefix, element]);
    }
  }

  /** The `fieldsV1` form. */
  toJson(): Record<string, unknown> {
    const json: Record<string, unknown> = {};
    for (const element of [...this.children.keys()].sort(compareElements)) {
      const node = this.children.get(element) as FieldSet;
      const inner = node.toJson();
      json[element] = node.isMember && node.children.size > 0 ? { '.': {}, ...inner } : inner;
    }
    return json;
  }

  /** Reads `fieldsV1`. What is not an object in it counts as a member without children. */
  static fromJson(json: unknown): FieldSet {
    return nodeFromJson(json, false);
  }
}

function nodeFromJson(json: unknown, isBelowRoot: boolean): FieldSet {
  if (!isObject(json)) return isBelowRoot ? FieldSet.leaf : FieldSet.empty;
  const keys = Object.keys(json);
  if (keys.length === 0) return isBelowRoot ? FieldSet.leaf : FieldSet.empty;
  const children = new Map<string, FieldSet>();
  let isMember = false;
  for (const key of keys) {
    if (key === '.') isMember = true;
    else children.set(normalElement(key), nodeFromJson(json[key], true));
  }
  return new FieldSet(isMember, children);
}

/** Key elements are compared as text, so their JSON has to be in one form. */
function normalElement(element: string): string {
  if (!element.startsWith('k:')) return element;
  try {
    return keyElement(decodeJson(element.slice(2)) as Record<string, unknown>);
  } catch {
    return element;
  }
}

export function fieldElement(name: string): string {
  return `f:${name}`;
}

export function keyElement(keys: Readonly<Record<string, unknown>>): string {
  const sorted: Record<string, unknown> = {};
  for (const name of Object.keys(keys).sort()) sorted[name] = keys[name];
  return `k:${encodeJson(sorted)}`;
}

export function valueElement(value: unknown): string {
  return `v:${encodeJson(value)}`;
}

const elementRank: Readonly<Record<string, number>> = { f: 0, k: 1, v: 2, i: 3 };

function compareElements(a: string, b: string): number {
  const rank = (elementRank[a[0] as string] ?? 4) - (elementRank[b[0] as string] ?? 4);
  return rank !== 0 ? rank : a < b ? -1 : a > b ? 1 : 0;
}

/** A path for people: `.spec.ports[port=80,protocol="TCP"].name`. */
export function pathText(path: readonly string[]): string {
  return path.map(elementText).join('');
}

function elementText(element: string): string {
  const body = element.slice(2);
  switch (element[0]) {
    case 'f':
      return `.${body}`;
    case 'k': {
      const keys = decodeJson(body) as Record<string, unknown>;
      const pairs = Object.entries(keys).map(([name, value]) => `${name}=${encodeJson(value)}`);
      return `[${pairs.join(',')}]`;
    }
    case 'v':
      return `[=${body}]`;
    default:
      return `[${body}]`;
  }
}

/** Collects paths cheaply; a set is made of them at the end. */
export class FieldSetBuilder {
  readonly #root: BuilderNode = { isMember: false, children: new Map() };

  add(path: readonly string[]): void {
    let node = this.#root;
    for (const element of path) {
      let next = node.children.get(element);
      if (next === undefined) {
        next = { isMember: false, children: new Map() };
        node.children.set(element, next);
      }
      node = next;
    }
    node.isMember = true;
  }

  build(): FieldSet {
    return freeze(this.#root);
  }
}

interface BuilderNode {
  isMember: boolean;
  readonly children: Map<string, BuilderNode>;
}

function freeze(node: BuilderNode): FieldSet {
  const children = new Map<string, FieldSet>();
  for (const [element, child] of node.children) children.set(element, freeze(child));
  return new FieldSet(node.isMember, children);
}
