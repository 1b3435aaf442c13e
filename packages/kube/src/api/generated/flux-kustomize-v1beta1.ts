// Made by `npm run docs`: change scripts/kube-types.mjs, or the facts that it reads.
import { defineKind, type KubeObject } from '@waygate/schema';

export interface Kustomization extends KubeObject {
  apiVersion?: 'kustomize.toolkit.fluxcd.io/v1beta1';
  kind?: 'Kustomization';
  spec?: KustomizationSpec;
  status?: KustomizationStatus;
}

export const Kustomization = /* @__PURE__ */ defineKind<Kustomization>({
  group: 'kustomize.toolkit.fluxcd.io',
  version: 'v1beta1',
  kind: 'Kustomization',
  plural: 'kustomizations',
  scope: 'Namespaced',
});

export interface KustomizationSpec {
  buildMetadata?: ('originAnnotations' | 'transformerAnnotations')[];
  commonMetadata?: KustomizationSpecCommonMetadata;
  components?: string[];
  decryption?: KustomizationSpecDecryption;
  deletionPolicy?: 'MirrorPrune' | 'Delete' | 'WaitForTermination' | 'Orphan';
  dependsOn?: KustomizationSpecDependsOnItem[];
  force?: boolean;
  healthCheckExprs?: KustomizationSpecHealthCheckExprsItem[];
  healthChecks?: KustomizationSpecHealthChecksItem[];
  ignore?: KustomizationSpecIgnoreItem[];
  ignoreMissingComponents?: boolean;
  images?: KustomizationSpecImagesItem[];
  interval: string;
  kubeConfig?: KustomizationSpecKubeConfig;
  namePrefix?: string;
  nameSuffix?: string;
  patches?: KustomizationSpecPatchesItem[];
  path?: string;
  postBuild?: KustomizationSpecPostBuild;
  prune: boolean;
  retryInterval?: string;
  serviceAccountName?: string;
  sourceRef: KustomizationSpecSourceRef;
  suspend?: boolean;
  targetNamespace?: string;
  timeout?: string;
  wait?: boolean;
  patchesStrategicMerge?: Record<string, unknown>[];
  patchesJson6902?: KustomizationSpecPatchesJson6902Item[];
  validation?: 'none' | 'client' | 'server';
}

export interface KustomizationSpecCommonMetadata {
  annotations?: Record<string, string>;
  labels?: Record<string, string>;
}

export interface KustomizationSpecDecryption {
  provider: 'sops';
  secretRef?: KustomizationSpecDecryptionSecretRef;
  serviceAccountName?: string;
}

export interface KustomizationSpecDecryptionSecretRef {
  name: string;
}

export interface KustomizationSpecDependsOnItem {
  name: string;
  namespace?: string;
  readyExpr?: string;
}

export interface KustomizationSpecHealthCheckExprsItem {
  apiVersion: string;
  current: string;
  failed?: string;
  inProgress?: string;
  kind?: string;
}

export interface KustomizationSpecHealthChecksItem {
  apiVersion?: string;
  kind: string;
  name: string;
  namespace?: string;
}

export interface KustomizationSpecIgnoreItem {
  paths: string[];
  target?: KustomizationSpecIgnoreItemTarget;
}

export interface KustomizationSpecIgnoreItemTarget {
  annotationSelector?: string;
  group?: string;
  kind?: string;
  labelSelector?: string;
  name?: string;
  namespace?: string;
  version?: string;
}

export interface KustomizationSpecImagesItem {
  digest?: string;
  name: string;
  newName?: string;
  newTag?: string;
}

export interface KustomizationSpecKubeConfig {
  configMapRef?: KustomizationSpecKubeConfigConfigMapRef;
  secretRef?: KustomizationSpecKubeConfigSecretRef;
}

export interface KustomizationSpecKubeConfigConfigMapRef {
  name: string;
}

export interface KustomizationSpecKubeConfigSecretRef {
  key?: string;
  name: string;
}

export interface KustomizationSpecPatchesItem {
  patch: string;
  target?: KustomizationSpecPatchesItemTarget;
}

export interface KustomizationSpecPatchesItemTarget {
  annotationSelector?: string;
  group?: string;
  kind?: string;
  labelSelector?: string;
  name?: string;
  namespace?: string;
  version?: string;
}

export interface KustomizationSpecPostBuild {
  substitute?: Record<string, string>;
  substituteFrom?: KustomizationSpecPostBuildSubstituteFromItem[];
  substituteStrategy?: 'WithVariables' | 'Always';
}

export interface KustomizationSpecPostBuildSubstituteFromItem {
  kind: 'Secret' | 'ConfigMap';
  name: string;
  optional?: boolean;
}

export interface KustomizationSpecSourceRef {
  apiVersion?: string;
  kind: 'OCIRepository' | 'GitRepository' | 'Bucket' | 'ExternalArtifact';
  name: string;
  namespace?: string;
}

export interface KustomizationSpecPatchesJson6902Item {
  patch: Record<string, unknown>[];
  target: KustomizationSpecPatchesJson6902ItemTarget;
}

export interface KustomizationSpecPatchesJson6902ItemTarget {
  annotationSelector?: string;
  group?: string;
  kind?: string;
  labelSelector?: string;
  name?: string;
  namespace?: string;
  version?: string;
}

export interface KustomizationStatus {
  conditions?: KustomizationStatusConditionsItem[];
  history?: KustomizationStatusHistoryItem[];
  inventory?: KustomizationStatusInventory;
  lastAppliedOriginRevision?: string;
  lastAppliedRevision?: string;
  lastAttemptedRevision?: string;
  lastHandledReconcileAt?: string;
  observedGeneration?: number;
}

export interface KustomizationStatusConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}

export interface KustomizationStatusHistoryItem {
  digest: string;
  firstReconciled: string;
  lastReconciled: string;
  lastReconciledDuration: string;
  lastReconciledStatus: string;
  metadata?: Record<string, string>;
  totalReconciliations: number;
}

export interface KustomizationStatusInventory {
  entries: KustomizationStatusInventoryEntriesItem[];
}

export interface KustomizationStatusInventoryEntriesItem {
  id: string;
  v: string;
}
