// Made by `npm run docs`: change scripts/kube-types.mjs, or the facts that it reads.
import { defineKind, type KubeList, type KubeObject } from '@waygate/schema';
import type * as metaV1 from './meta-v1.ts';

export interface AggregationRule {
  clusterRoleSelectors?: metaV1.LabelSelector[];
}

export interface ClusterRole extends KubeObject {
  apiVersion?: 'rbac.authorization.k8s.io/v1';
  kind?: 'ClusterRole';
  aggregationRule?: AggregationRule;
  rules?: PolicyRule[];
}

export const ClusterRole = /* @__PURE__ */ defineKind<ClusterRole>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  scope: 'Cluster',
});

export interface ClusterRoleBinding extends KubeObject {
  apiVersion?: 'rbac.authorization.k8s.io/v1';
  kind?: 'ClusterRoleBinding';
  roleRef: RoleRef;
  subjects?: Subject[];
}

export const ClusterRoleBinding = /* @__PURE__ */ defineKind<ClusterRoleBinding>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  scope: 'Cluster',
});

export type ClusterRoleBindingList = KubeList<ClusterRoleBinding>;

export type ClusterRoleList = KubeList<ClusterRole>;

export interface PolicyRule {
  apiGroups?: string[];
  nonResourceURLs?: string[];
  resourceNames?: string[];
  resources?: string[];
  verbs: string[];
}

export interface Role extends KubeObject {
  apiVersion?: 'rbac.authorization.k8s.io/v1';
  kind?: 'Role';
  rules?: PolicyRule[];
}

export const Role = /* @__PURE__ */ defineKind<Role>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'Role',
  plural: 'roles',
  scope: 'Namespaced',
});

export interface RoleBinding extends KubeObject {
  apiVersion?: 'rbac.authorization.k8s.io/v1';
  kind?: 'RoleBinding';
  roleRef: RoleRef;
  subjects?: Subject[];
}

export const RoleBinding = /* @__PURE__ */ defineKind<RoleBinding>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'RoleBinding',
  plural: 'rolebindings',
  scope: 'Namespaced',
});

export type RoleBindingList = KubeList<RoleBinding>;

export type RoleList = KubeList<Role>;

export interface RoleRef {
  apiGroup?: string;
  kind: string;
  name: string;
}

export interface Subject {
  apiGroup?: string;
  kind: string;
  name: string;
  namespace?: string;
}
