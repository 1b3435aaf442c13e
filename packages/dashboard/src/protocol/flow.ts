import type { Health, ShownObject } from './reference.ts';

/** The columns of the Flow page, left to right. */
export type FlowStage = 'source' | 'kustomization' | 'object' | 'route' | 'service' | 'target';

/** One box of the Flow page. Its `id` is the same in every answer and on every page. */
export interface FlowNode {
  readonly id: string;
  readonly stage: FlowStage;
  readonly title: string;
  /** What stands below the title: a kind, a revision, an address. */
  readonly detail?: string;
  /**
   * What folds it: the namespace, and the node id of the Kustomization that applied it. That one leads to
   * the object without an edge in its `to`, which would be thousands in one item.
   */
  readonly namespace?: string;
  readonly kustomization?: string;
  readonly health: Health;
  /** Why it is not healthy, in one sentence. */
  readonly reason?: string;
  readonly object?: ShownObject;
  /**
   * The nodes to its right that it leads to; a broken one says why. What a Kustomization has applied is
   * not listed here: each object names it as `kustomization`, so that one more object is not all again.
   */
  readonly to: readonly FlowEdge[];
}

export interface FlowEdge {
  readonly to: string;
  readonly broken?: string;
}
