import type { AdminHandler } from './admin-message.ts';

/** What a path answers to, by method. */
export type Methods = Readonly<
  Partial<Record<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', AdminHandler>>
>;

export interface Endpoint {
  /** As `/endpoints` lists it, with `{parameters}`. */
  readonly pattern: string;
  readonly methods: Methods;
}

interface FoundEndpoint {
  readonly methods: Methods;
  readonly parameters: Readonly<Record<string, string>>;
}

interface Node {
  readonly literal: Map<string, Node>;
  parameter: { readonly name: string; readonly node: Node } | undefined;
  methods: Methods | undefined;
}

/** Finds endpoints by path; a fixed segment wins over a parameter. */
export class EndpointTable {
  readonly #root = newNode();
  readonly #patterns: string[] = [];

  constructor(endpoints: Iterable<Endpoint>) {
    for (const { pattern, methods } of endpoints) {
      this.#patterns.push(pattern);
      let node = this.#root;
      for (const segment of pattern.split('/').slice(1)) {
        node = segment === '' ? node : child(node, segment);
      }
      node.methods = { ...node.methods, ...methods };
    }
  }

  get patterns(): readonly string[] {
    return [...new Set(this.#patterns)].sort();
  }

  find(segments: readonly string[]): FoundEndpoint | undefined {
    const parameters: Record<string, string> = Object.create(null) as Record<string, string>;
    const node = walk(this.#root, segments, 0, parameters);
    return node?.methods === undefined ? undefined : { methods: node.methods, parameters };
  }
}

function newNode(): Node {
  return { literal: new Map(), parameter: undefined, methods: undefined };
}

function child(node: Node, segment: string): Node {
  if (segment.startsWith('{')) {
    node.parameter ??= { name: segment.slice(1, -1), node: newNode() };
    return node.parameter.node;
  }
  let next = node.literal.get(segment);
  if (next === undefined) {
    next = newNode();
    node.literal.set(segment, next);
  }
  return next;
}

function walk(
  node: Node,
  segments: readonly string[],
  at: number,
  parameters: Record<string, string>,
): Node | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.methods === undefined ? undefined : node;
  const literal = node.literal.get(segment);
  const found = literal === undefined ? undefined : walk(literal, segments, at + 1, parameters);
  if (found !== undefined || node.parameter === undefined || segment === '') return found;
  parameters[node.parameter.name] = segment;
  return walk(node.parameter.node, segments, at + 1, parameters);
}
