// Made by `npm run docs`: change scripts/kube-types.mjs, or the facts that it reads.
import { defineKind, type KubeObject } from '@waygate/schema';

export interface HelmRelease extends KubeObject {
  apiVersion?: 'helm.toolkit.fluxcd.io/v2';
  kind?: 'HelmRelease';
  spec?: HelmReleaseSpec;
  status?: HelmReleaseStatus;
}

export const HelmRelease = /* @__PURE__ */ defineKind<HelmRelease>({
  group: 'helm.toolkit.fluxcd.io',
  version: 'v2',
  kind: 'HelmRelease',
  plural: 'helmreleases',
  scope: 'Namespaced',
});

export interface HelmReleaseSpec {
  chart?: HelmReleaseSpecChart;
  chartRef?: HelmReleaseSpecChartRef;
  commonMetadata?: HelmReleaseSpecCommonMetadata;
  dependsOn?: HelmReleaseSpecDependsOnItem[];
  driftDetection?: HelmReleaseSpecDriftDetection;
  healthCheckExprs?: HelmReleaseSpecHealthCheckExprsItem[];
  install?: HelmReleaseSpecInstall;
  interval: string;
  kubeConfig?: HelmReleaseSpecKubeConfig;
  maxHistory?: number;
  persistentClient?: boolean;
  postRenderStrategy?: 'nohooks' | 'combined' | 'separate';
  postRenderers?: HelmReleaseSpecPostRenderersItem[];
  releaseName?: string;
  rollback?: HelmReleaseSpecRollback;
  serviceAccountName?: string;
  storageNamespace?: string;
  suspend?: boolean;
  targetNamespace?: string;
  test?: HelmReleaseSpecTest;
  timeout?: string;
  uninstall?: HelmReleaseSpecUninstall;
  upgrade?: HelmReleaseSpecUpgrade;
  values?: unknown;
  valuesFrom?: HelmReleaseSpecValuesFromItem[];
  waitStrategy?: HelmReleaseSpecWaitStrategy;
}

export interface HelmReleaseSpecChart {
  metadata?: HelmReleaseSpecChartMetadata;
  spec: HelmReleaseSpecChartSpec;
}

export interface HelmReleaseSpecChartMetadata {
  annotations?: Record<string, string>;
  labels?: Record<string, string>;
}

export interface HelmReleaseSpecChartSpec {
  chart: string;
  ignoreMissingValuesFiles?: boolean;
  interval?: string;
  reconcileStrategy?: 'ChartVersion' | 'Revision';
  sourceRef: HelmReleaseSpecChartSpecSourceRef;
  valuesFiles?: string[];
  verify?: HelmReleaseSpecChartSpecVerify;
  version?: string;
}

export interface HelmReleaseSpecChartSpecSourceRef {
  apiVersion?: string;
  kind: 'HelmRepository' | 'GitRepository' | 'Bucket';
  name: string;
  namespace?: string;
}

export interface HelmReleaseSpecChartSpecVerify {
  provider: 'cosign' | 'notation';
  secretRef?: HelmReleaseSpecChartSpecVerifySecretRef;
}

export interface HelmReleaseSpecChartSpecVerifySecretRef {
  name: string;
}

export interface HelmReleaseSpecChartRef {
  apiVersion?: string;
  kind: 'OCIRepository' | 'HelmChart' | 'ExternalArtifact';
  name: string;
  namespace?: string;
}

export interface HelmReleaseSpecCommonMetadata {
  annotations?: Record<string, string>;
  labels?: Record<string, string>;
}

export interface HelmReleaseSpecDependsOnItem {
  name: string;
  namespace?: string;
  readyExpr?: string;
}

export interface HelmReleaseSpecDriftDetection {
  ignore?: HelmReleaseSpecDriftDetectionIgnoreItem[];
  mode?: 'enabled' | 'warn' | 'disabled';
}

export interface HelmReleaseSpecDriftDetectionIgnoreItem {
  paths: string[];
  target?: HelmReleaseSpecDriftDetectionIgnoreItemTarget;
}

export interface HelmReleaseSpecDriftDetectionIgnoreItemTarget {
  annotationSelector?: string;
  group?: string;
  kind?: string;
  labelSelector?: string;
  name?: string;
  namespace?: string;
  version?: string;
}

export interface HelmReleaseSpecHealthCheckExprsItem {
  apiVersion: string;
  current: string;
  failed?: string;
  inProgress?: string;
  kind?: string;
}

export interface HelmReleaseSpecInstall {
  crds?: 'Skip' | 'Create' | 'CreateReplace';
  createNamespace?: boolean;
  disableHooks?: boolean;
  disableOpenAPIValidation?: boolean;
  disableSchemaValidation?: boolean;
  disableTakeOwnership?: boolean;
  disableWait?: boolean;
  disableWaitForJobs?: boolean;
  remediation?: HelmReleaseSpecInstallRemediation;
  replace?: boolean;
  serverSideApply?: boolean;
  skipCRDs?: boolean;
  strategy?: HelmReleaseSpecInstallStrategy;
  timeout?: string;
}

export interface HelmReleaseSpecInstallRemediation {
  ignoreTestFailures?: boolean;
  remediateLastFailure?: boolean;
  retries?: number;
}

export interface HelmReleaseSpecInstallStrategy {
  name: 'RemediateOnFailure' | 'RetryOnFailure';
  retryInterval?: string;
}

export interface HelmReleaseSpecKubeConfig {
  configMapRef?: HelmReleaseSpecKubeConfigConfigMapRef;
  secretRef?: HelmReleaseSpecKubeConfigSecretRef;
}

export interface HelmReleaseSpecKubeConfigConfigMapRef {
  name: string;
}

export interface HelmReleaseSpecKubeConfigSecretRef {
  key?: string;
  name: string;
}

export interface HelmReleaseSpecPostRenderersItem {
  kustomize?: HelmReleaseSpecPostRenderersItemKustomize;
}

export interface HelmReleaseSpecPostRenderersItemKustomize {
  images?: HelmReleaseSpecPostRenderersItemKustomizeImagesItem[];
  patches?: HelmReleaseSpecPostRenderersItemKustomizePatchesItem[];
}

export interface HelmReleaseSpecPostRenderersItemKustomizeImagesItem {
  digest?: string;
  name: string;
  newName?: string;
  newTag?: string;
}

export interface HelmReleaseSpecPostRenderersItemKustomizePatchesItem {
  patch: string;
  target?: HelmReleaseSpecPostRenderersItemKustomizePatchesItemTarget;
}

export interface HelmReleaseSpecPostRenderersItemKustomizePatchesItemTarget {
  annotationSelector?: string;
  group?: string;
  kind?: string;
  labelSelector?: string;
  name?: string;
  namespace?: string;
  version?: string;
}

export interface HelmReleaseSpecRollback {
  cleanupOnFail?: boolean;
  disableHooks?: boolean;
  disableWait?: boolean;
  disableWaitForJobs?: boolean;
  force?: boolean;
  recreate?: boolean;
  serverSideApply?: 'enabled' | 'disabled' | 'auto';
  timeout?: string;
}

export interface HelmReleaseSpecTest {
  enable?: boolean;
  filters?: HelmReleaseSpecTestFiltersItem[];
  ignoreFailures?: boolean;
  timeout?: string;
}

export interface HelmReleaseSpecTestFiltersItem {
  exclude?: boolean;
  name: string;
}

export interface HelmReleaseSpecUninstall {
  deletionPropagation?: 'background' | 'foreground' | 'orphan';
  disableHooks?: boolean;
  disableWait?: boolean;
  keepHistory?: boolean;
  timeout?: string;
}

export interface HelmReleaseSpecUpgrade {
  chartNameChangeStrategy?: 'InPlaceUpdate' | 'Reinstall';
  cleanupOnFail?: boolean;
  crds?: 'Skip' | 'Create' | 'CreateReplace';
  disableHooks?: boolean;
  disableOpenAPIValidation?: boolean;
  disableSchemaValidation?: boolean;
  disableTakeOwnership?: boolean;
  disableWait?: boolean;
  disableWaitForJobs?: boolean;
  force?: boolean;
  preserveValues?: boolean;
  remediation?: HelmReleaseSpecUpgradeRemediation;
  serverSideApply?: 'enabled' | 'disabled' | 'auto';
  strategy?: HelmReleaseSpecUpgradeStrategy;
  timeout?: string;
}

export interface HelmReleaseSpecUpgradeRemediation {
  ignoreTestFailures?: boolean;
  remediateLastFailure?: boolean;
  retries?: number;
  strategy?: 'rollback' | 'uninstall';
}

export interface HelmReleaseSpecUpgradeStrategy {
  name: 'RemediateOnFailure' | 'RetryOnFailure';
  retryInterval?: string;
}

export interface HelmReleaseSpecValuesFromItem {
  kind: 'Secret' | 'ConfigMap';
  literal?: boolean;
  name: string;
  optional?: boolean;
  targetPath?: string;
  valuesKey?: string;
}

export interface HelmReleaseSpecWaitStrategy {
  name: 'poller' | 'legacy';
}

export interface HelmReleaseStatus {
  conditions?: HelmReleaseStatusConditionsItem[];
  failures?: number;
  helmChart?: string;
  history?: HelmReleaseStatusHistoryItem[];
  installFailures?: number;
  inventory?: HelmReleaseStatusInventory;
  lastAttemptedConfigDigest?: string;
  lastAttemptedGeneration?: number;
  lastAttemptedReleaseAction?: 'install' | 'upgrade';
  lastAttemptedReleaseActionDuration?: string;
  lastAttemptedRevision?: string;
  lastAttemptedRevisionDigest?: string;
  lastAttemptedValuesChecksum?: string;
  lastHandledForceAt?: string;
  lastHandledReconcileAt?: string;
  lastHandledResetAt?: string;
  lastReleaseRevision?: number;
  observedCommonMetadataDigest?: string;
  observedGeneration?: number;
  observedPostRenderersDigest?: string;
  storageNamespace?: string;
  upgradeFailures?: number;
}

export interface HelmReleaseStatusConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}

export interface HelmReleaseStatusHistoryItem {
  action?: string;
  apiVersion?: string;
  appVersion?: string;
  chartName: string;
  chartVersion: string;
  configDigest: string;
  deleted?: string;
  digest: string;
  firstDeployed: string;
  lastDeployed: string;
  name: string;
  namespace: string;
  ociDigest?: string;
  status: string;
  testHooks?: Record<string, HelmReleaseStatusHistoryItemTestHooksValue>;
  version: number;
}

export interface HelmReleaseStatusHistoryItemTestHooksValue {
  lastCompleted?: string;
  lastStarted?: string;
  phase?: string;
}

export interface HelmReleaseStatusInventory {
  entries: HelmReleaseStatusInventoryEntriesItem[];
}

export interface HelmReleaseStatusInventoryEntriesItem {
  id: string;
  v: string;
}
