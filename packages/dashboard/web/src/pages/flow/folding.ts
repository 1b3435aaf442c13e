import type { FlowNode, FlowStage } from '../../../../src/protocol/flow.ts';
import type { Health } from '../../../../src/protocol/reference.ts';
import { worstHealth } from '../../parts/health-order.ts';
import { type FlowGraph, stages } from './flow-graph.ts';

export type FoldBy = 'namespace' | 'kustomization';

/** What is drawn as one: a node, or a group that stands for all its members. */
export interface FlowBox {
  readonly id: string;
  readonly stage: FlowStage;
  readonly title: string;
  readonly detail: string;
  readonly health: Health;
  /** Boxes of the same unit stay together; the group's own comes first. */
  readonly unit: string;
  readonly node?: FlowNode;
  readonly group?: FlowGroup;
}

export interface FlowGroup {
  readonly count: number;
  readonly isOpen: boolean;
  readonly healths: Readonly<Partial<Record<Health, number>>>;
}

/** All edges between two boxes as one. */
export interface FlowLine {
  readonly from: string;
  /** Absent: it leads to something that is not there. */
  readonly to?: string;
  readonly count: number;
  /** Why, once for each reason. */
  readonly broken: readonly string[];
  readonly isFollowed: boolean;
}

export interface FoldedFlow {
  readonly boxes: readonly FlowBox[];
  readonly lines: readonly FlowLine[];
}

export interface FoldWishes {
  readonly by: FoldBy;
  /** Groups that somebody opened or closed by hand. */
  readonly toggled: ReadonlyMap<string, boolean>;
  /** Nodes of a path that is followed: they are seen even where their group is folded. */
  readonly followed?: ReadonlySet<string>;
}

/** A column of so many reads at a glance; a longer one is folded. */
const mostUnfolded = 16;

/** Folds every long column into groups, and gathers the edges between what is drawn. */
export function foldFlow(graph: FlowGraph, wishes: FoldWishes): FoldedFlow {
  const byStage = new Map<FlowStage, FlowNode[]>(stages.map(({ stage }) => [stage, []]));
  for (const node of graph.nodes.values()) byStage.get(node.stage)?.push(node);
  const boxes: FlowBox[] = [];
  const boxOf = new Map<string, string>();
  for (const nodes of byStage.values()) foldColumn(nodes, graph, wishes, boxes, boxOf);
  return { boxes, lines: gatherLines(graph, boxOf, wishes.followed) };
}

function foldColumn(
  nodes: readonly FlowNode[],
  graph: FlowGraph,
  wishes: FoldWishes,
  boxes: FlowBox[],
  boxOf: Map<string, string>,
): void {
  const groups = new Map<string, FlowNode[]>();
  for (const node of nodes) {
    const key = groupKey(node, wishes.by);
    const members = groups.get(key);
    if (members) members.push(node);
    else groups.set(key, [node]);
  }
  const isShort = nodes.length <= mostUnfolded;
  for (const [key, members] of groups) {
    const unit = `${members[0]?.stage}:${key}`;
    const isGrouped = members.length > 1 && (!isShort || wishes.toggled.has(unit));
    const isOpen = wishes.toggled.get(unit) ?? isShort;
    if (isGrouped) boxes.push(groupBox(unit, groupTitle(key, wishes.by, graph), members, isOpen));
    for (const node of members) {
      const isSeen = !isGrouped || isOpen || wishes.followed?.has(node.id);
      boxOf.set(node.id, isSeen ? node.id : unit);
      if (isSeen) boxes.push(nodeBox(node, unit));
    }
  }
}

function groupKey(node: FlowNode, by: FoldBy): string {
  if (by === 'kustomization' && node.kustomization !== undefined) return node.kustomization;
  return `namespace ${node.namespace ?? ''}`;
}

function groupTitle(key: string, by: FoldBy, graph: FlowGraph): string {
  if (by === 'kustomization') {
    const title = graph.nodes.get(key)?.title;
    if (title !== undefined) return title;
  }
  return key.replace(/^namespace /, '') || 'no namespace';
}

function groupBox(
  unit: string,
  title: string,
  members: readonly FlowNode[],
  isOpen: boolean,
): FlowBox {
  const healths: Partial<Record<Health, number>> = {};
  for (const { health } of members) healths[health] = (healths[health] ?? 0) + 1;
  const stage = members[0]?.stage ?? 'object';
  return {
    id: unit,
    stage,
    title,
    detail: groupDetail(stage, members.length, healths.degraded ?? 0),
    health: worstHealth(Object.keys(healths) as Health[]),
    unit,
    group: { count: members.length, isOpen, healths },
  };
}

function groupDetail(stage: FlowStage, count: number, degraded: number): string {
  const all = count.toLocaleString('en');
  // What is bad stands where nothing is cut off.
  return degraded === 0
    ? `${all} ${stage}s`
    : `${degraded.toLocaleString('en')} of ${all} degraded`;
}

function nodeBox(node: FlowNode, unit: string): FlowBox {
  // A broken edge says why itself; it is the box's own affair where the box does not do well.
  const broken =
    node.health === 'degraded'
      ? node.to.find((edge) => edge.broken !== undefined)?.broken
      : undefined;
  const { title, detail } = shortTitle(node);
  return {
    id: node.id,
    stage: node.stage,
    title,
    detail: node.reason ?? broken ?? detail,
    health: node.health,
    unit,
    node,
  };
}

/** Routes of one host differ in their paths, which would be cut off behind it. */
function shortTitle(node: FlowNode): { title: string; detail: string } {
  const [, host, path] = /^([^/~]+)([/~].*)$/.exec(node.stage === 'route' ? node.title : '') ?? [];
  if (host === undefined || path === undefined) return { title: node.title, detail: placed(node) };
  return { title: path, detail: host };
}

/** Two objects of one name are told apart by where they are. */
function placed({ stage, namespace, detail = '' }: FlowNode): string {
  return stage === 'object' && namespace !== undefined ? `${detail} in ${namespace}` : detail;
}

function gatherLines(
  graph: FlowGraph,
  boxOf: ReadonlyMap<string, string>,
  followed: ReadonlySet<string> | undefined,
): FlowLine[] {
  const lines = new Map<
    string,
    { -readonly [K in keyof FlowLine]: FlowLine[K] } & { broken: string[] }
  >();
  for (const node of graph.nodes.values()) {
    const from = boxOf.get(node.id) ?? node.id;
    for (const edge of node.to) {
      const to = boxOf.get(edge.to);
      if (to === undefined && edge.broken === undefined) continue;
      const key = `${from}\n${to ?? ''}`;
      const line = lines.get(key) ?? {
        from,
        ...(to !== undefined && { to }),
        count: 0,
        broken: [],
        isFollowed: false,
      };
      line.count++;
      if (edge.broken !== undefined && !line.broken.includes(edge.broken))
        line.broken.push(edge.broken);
      if (followed?.has(node.id) && (followed.has(edge.to) || to === undefined))
        line.isFollowed = true;
      lines.set(key, line);
    }
  }
  return [...lines.values()];
}
