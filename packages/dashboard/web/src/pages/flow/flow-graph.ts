import type { FlowEdge, FlowNode, FlowStage } from '../../../../src/protocol/flow.ts';

/** Left to right. */
export const stages: readonly { readonly stage: FlowStage; readonly title: string }[] = [
  { stage: 'source', title: 'Sources' },
  { stage: 'kustomization', title: 'Kustomizations' },
  { stage: 'object', title: 'Objects' },
  { stage: 'route', title: 'Routes' },
  { stage: 'service', title: 'Services' },
  { stage: 'target', title: 'Targets' },
];

/** The nodes with their edges in both directions. */
export interface FlowGraph {
  readonly nodes: ReadonlyMap<string, FlowNode>;
  readonly before: ReadonlyMap<string, readonly string[]>;
}

export function flowGraph(rows: readonly FlowNode[]): FlowGraph {
  const nodes = withApplied(rows);
  const before = new Map<string, string[]>();
  for (const node of nodes.values())
    for (const { to } of node.to) {
      const list = before.get(to);
      if (list) list.push(node.id);
      else before.set(to, [node.id]);
    }
  return { nodes, before };
}

/** The nodes, where Kustomizations lead to the objects that name them as their own. */
function withApplied(rows: readonly FlowNode[]): Map<string, FlowNode> {
  const nodes = new Map(rows.map((node) => [node.id, node]));
  const applied = new Map<string, FlowEdge[]>();
  for (const { id, stage, kustomization } of rows) {
    if (stage !== 'object' || kustomization === undefined) continue;
    const list = applied.get(kustomization);
    if (list) list.push({ to: id });
    else applied.set(kustomization, [{ to: id }]);
  }
  for (const [id, edges] of applied) {
    const node = nodes.get(id);
    if (!node) continue;
    const told = new Set(node.to.map(({ to }) => to));
    nodes.set(id, { ...node, to: [...node.to, ...edges.filter(({ to }) => !told.has(to))] });
  }
  return nodes;
}

/** Everything on a way through the node: what leads to it, and what it leads to. */
export function pathThrough(graph: FlowGraph, id: string): Set<string> {
  const found = new Set<string>();
  if (!graph.nodes.has(id)) return found;
  walk(id, (at) => graph.nodes.get(at)?.to.map(({ to }) => to) ?? [], found);
  for (const at of waysTo(graph, id)) found.add(at);
  for (const at of found) if (!graph.nodes.has(at)) found.delete(at);
  return found;
}

/** The node and everything that leads to it. */
function waysTo(graph: FlowGraph, id: string): Set<string> {
  const found = new Set<string>();
  walk(id, (at) => graph.before.get(at) ?? [], found);
  return found;
}

/** The bad ones, and what they are a part of. */
export function brokenPaths(graph: FlowGraph): Set<string> {
  const found = new Set<string>();
  const add = (ids: Iterable<string>) => {
    for (const id of ids) found.add(id);
  };
  for (const node of graph.nodes.values()) {
    if (node.health === 'degraded') add(pathThrough(graph, node.id));
    // One broken edge of a source says nothing of its others.
    for (const { to, broken } of node.to)
      if (broken !== undefined) add([...waysTo(graph, node.id), ...pathThrough(graph, to)]);
  }
  return found;
}

/** How much is broken: what does not do well, and edges that are broken between two that do. */
export function countBroken(nodes: readonly FlowNode[]): number {
  const bad = new Set(nodes.flatMap(({ id, health }) => (health === 'degraded' ? [id] : [])));
  const edges = nodes.flatMap(({ id, to }) =>
    bad.has(id) ? [] : to.filter((edge) => edge.broken !== undefined && !bad.has(edge.to)),
  );
  return bad.size + edges.length;
}

function walk(from: string, next: (id: string) => readonly string[], found: Set<string>): void {
  const waiting = [from];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    waiting.push(...next(id));
  }
}
