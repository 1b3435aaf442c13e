// Made by `npm run docs`: change scripts/kube-types.mjs, or the facts that it reads.
import { defineKind, type KubeList, type KubeObject } from '@waygate/schema';

export interface PriorityClass extends KubeObject {
  apiVersion?: 'scheduling.k8s.io/v1';
  kind?: 'PriorityClass';
  description?: string;
  globalDefault?: boolean;
  preemptionPolicy?: 'Never' | 'PreemptLowerPriority';
  value?: number;
}

export const PriorityClass = /* @__PURE__ */ defineKind<PriorityClass>({
  group: 'scheduling.k8s.io',
  version: 'v1',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  scope: 'Cluster',
});

export type PriorityClassList = KubeList<PriorityClass>;
