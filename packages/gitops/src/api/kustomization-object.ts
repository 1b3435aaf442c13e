import type { IgnoreRule } from '@waygate/apply';
import { defineKind, type KubeObject } from '@waygate/schema';
import type { Condition } from './conditions.ts';
import type { LocalObjectReference } from './source-objects.ts';

interface Dependency {
  name: string;
  namespace?: string;
  readyExpr?: string;
}

interface VariableSource {
  kind: 'ConfigMap' | 'Secret';
  name: string;
  optional?: boolean;
}

interface PatchSelector {
  group?: string;
  version?: string;
  kind?: string;
  name?: string;
  namespace?: string;
  labelSelector?: string;
  annotationSelector?: string;
}

interface HealthReference {
  apiVersion?: string;
  kind: string;
  name: string;
  namespace?: string;
}

export interface HealthExpressions {
  apiVersion: string;
  kind?: string;
  current: string;
  inProgress?: string;
  failed?: string;
}

export interface KustomizationSpec {
  interval: string;
  retryInterval?: string;
  timeout?: string;
  path?: string;
  prune: boolean;
  sourceRef: { apiVersion?: string; kind: string; name: string; namespace?: string };
  suspend?: boolean;
  force?: boolean;
  wait?: boolean;
  targetNamespace?: string;
  namePrefix?: string;
  nameSuffix?: string;
  commonMetadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
  components?: string[];
  ignoreMissingComponents?: boolean;
  buildMetadata?: string[];
  patches?: { patch: string; target?: PatchSelector }[];
  /** Of the older generation. */
  patchesStrategicMerge?: unknown[];
  /** Of the older generation. */
  patchesJson6902?: { patch: unknown[]; target: PatchSelector }[];
  images?: { name: string; newName?: string; newTag?: string; digest?: string }[];
  postBuild?: {
    substitute?: Record<string, string>;
    substituteFrom?: VariableSource[];
    substituteStrategy?: 'WithVariables' | 'Always';
  };
  dependsOn?: Dependency[];
  healthChecks?: HealthReference[];
  healthCheckExprs?: HealthExpressions[];
  decryption?: {
    provider: string;
    secretRef?: LocalObjectReference;
    serviceAccountName?: string;
  };
  deletionPolicy?: 'MirrorPrune' | 'Delete' | 'WaitForTermination' | 'Orphan';
  ignore?: IgnoreRule[];
  kubeConfig?: {
    secretRef?: { name: string; key?: string };
    configMapRef?: LocalObjectReference;
  };
  serviceAccountName?: string;
}

export interface HistoryEntry {
  digest: string;
  firstReconciled: string;
  lastReconciled: string;
  lastReconciledDuration: string;
  lastReconciledStatus: string;
  totalReconciliations: number;
  metadata?: Record<string, string>;
}

export interface KustomizationStatus {
  observedGeneration?: number;
  lastHandledReconcileAt?: string;
  conditions?: Condition[];
  lastAttemptedRevision?: string;
  lastAppliedRevision?: string;
  lastAppliedOriginRevision?: string;
  inventory?: { entries: { id: string; v: string }[] };
  history?: HistoryEntry[];
}

export interface Kustomization extends KubeObject {
  spec: KustomizationSpec;
  status?: KustomizationStatus;
}

export const kustomizationGroup = 'kustomize.toolkit.fluxcd.io';

export const kustomizationKind = defineKind<Kustomization>({
  group: kustomizationGroup,
  version: 'v1',
  kind: 'Kustomization',
  plural: 'kustomizations',
  scope: 'Namespaced',
});
