// Made by `npm run docs`: change scripts/kube-types.mjs, or the facts that it reads.
import { defineKind, type KubeList, type KubeObject } from '@waygate/schema';
import type * as coreV1 from './core-v1.ts';

export interface Overhead {
  podFixed?: Record<string, string>;
}

export interface RuntimeClass extends KubeObject {
  apiVersion?: 'node.k8s.io/v1';
  kind?: 'RuntimeClass';
  handler: string;
  overhead?: Overhead;
  scheduling?: Scheduling;
}

export const RuntimeClass = /* @__PURE__ */ defineKind<RuntimeClass>({
  group: 'node.k8s.io',
  version: 'v1',
  kind: 'RuntimeClass',
  plural: 'runtimeclasses',
  scope: 'Cluster',
});

export type RuntimeClassList = KubeList<RuntimeClass>;

export interface Scheduling {
  nodeSelector?: Record<string, string>;
  tolerations?: coreV1.Toleration[];
}
