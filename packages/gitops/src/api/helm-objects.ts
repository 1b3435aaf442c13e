import type { IgnoreRule, Inventory } from '@waygate/apply';
import { defineKind, type KubeObject } from '@waygate/schema';
import type { Condition } from './conditions.ts';
import type { HealthExpressions } from './kustomization-object.ts';
import type { LocalObjectReference, SourceStatus } from './source-objects.ts';

/** A repository of charts: an index at a URL, or with type `oci` only a place in a registry. */
export interface HelmRepository extends KubeObject {
  spec: {
    url: string;
    type?: 'default' | 'oci';
    interval: string;
    timeout?: string;
    suspend?: boolean;
    secretRef?: LocalObjectReference;
    certSecretRef?: LocalObjectReference;
    passCredentials?: boolean;
    provider?: string;
    insecure?: boolean;
  };
  status?: SourceStatus;
}

/** What a chart is made of. */
export interface HelmChartSpec {
  chart: string;
  version?: string;
  sourceRef: { apiVersion?: string; kind: string; name: string };
  interval: string;
  reconcileStrategy?: 'ChartVersion' | 'Revision';
  valuesFiles?: string[];
  ignoreMissingValuesFiles?: boolean;
  suspend?: boolean;
  verify?: { provider: string; secretRef?: LocalObjectReference };
}

export interface HelmChartStatus extends SourceStatus {
  observedChartName?: string;
  observedSourceArtifactRevision?: string;
  observedValuesFiles?: string[];
}

/** A chart that a source has, packed. */
export interface HelmChart extends KubeObject {
  spec: HelmChartSpec;
  status?: HelmChartStatus;
}

/** Where values come from, besides the spec. */
export interface ValuesReference {
  kind: 'ConfigMap' | 'Secret';
  name: string;
  valuesKey?: string;
  targetPath?: string;
  optional?: boolean;
  literal?: boolean;
}

/** What to do about a failure. */
export interface Remediation {
  retries?: number;
  ignoreTestFailures?: boolean;
  remediateLastFailure?: boolean;
  strategy?: 'rollback' | 'uninstall';
}

interface ActionStrategy {
  name: 'RemediateOnFailure' | 'RetryOnFailure';
  retryInterval?: string;
}

interface CommonAction {
  timeout?: string;
  disableHooks?: boolean;
  disableWait?: boolean;
  disableWaitForJobs?: boolean;
}

interface ReleasingAction extends CommonAction {
  disableTakeOwnership?: boolean;
  disableSchemaValidation?: boolean;
  disableOpenAPIValidation?: boolean;
  crds?: 'Skip' | 'Create' | 'CreateReplace';
  strategy?: ActionStrategy;
  remediation?: Remediation;
}

interface KustomizePostRenderer {
  patches?: { patch: string; target?: Record<string, string> }[];
  images?: { name: string; newName?: string; newTag?: string; digest?: string }[];
}

export interface HelmReleaseSpec {
  chart?: {
    metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
    spec: {
      chart: string;
      version?: string;
      sourceRef: { apiVersion?: string; kind?: string; name: string; namespace?: string };
      interval?: string;
      reconcileStrategy?: 'ChartVersion' | 'Revision';
      valuesFiles?: string[];
      ignoreMissingValuesFiles?: boolean;
      verify?: { provider: string; secretRef?: LocalObjectReference };
    };
  };
  chartRef?: { apiVersion?: string; kind: string; name: string; namespace?: string };
  interval: string;
  kubeConfig?: {
    secretRef?: { name: string; key?: string };
    configMapRef?: LocalObjectReference;
  };
  suspend?: boolean;
  releaseName?: string;
  targetNamespace?: string;
  storageNamespace?: string;
  dependsOn?: { name: string; namespace?: string; readyExpr?: string }[];
  timeout?: string;
  maxHistory?: number;
  serviceAccountName?: string;
  values?: Record<string, unknown>;
  valuesFrom?: ValuesReference[];
  driftDetection?: { mode?: 'disabled' | 'warn' | 'enabled'; ignore?: IgnoreRule[] };
  install?: ReleasingAction & {
    createNamespace?: boolean;
    replace?: boolean;
    serverSideApply?: boolean;
  };
  upgrade?: ReleasingAction & {
    cleanupOnFail?: boolean;
    force?: boolean;
    preserveValues?: boolean;
    serverSideApply?: 'enabled' | 'disabled' | 'auto';
    chartNameChangeStrategy?: 'Reinstall' | 'InPlace';
  };
  rollback?: CommonAction & {
    cleanupOnFail?: boolean;
    force?: boolean;
    serverSideApply?: 'enabled' | 'disabled' | 'auto';
  };
  uninstall?: CommonAction & {
    deletionPropagation?: 'background' | 'foreground' | 'orphan';
    keepHistory?: boolean;
  };
  test?: {
    enable?: boolean;
    timeout?: string;
    ignoreFailures?: boolean;
    filters?: { name: string; exclude?: boolean }[];
  };
  postRenderers?: { kustomize?: KustomizePostRenderer }[];
  postRenderStrategy?: 'combined' | 'separate' | 'nohooks';
  commonMetadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
  waitStrategy?: { name: 'poller' | 'legacy' };
  healthCheckExprs?: HealthExpressions[];
}

/** A revision of a release as the controller left it. */
export interface ReleaseSnapshot {
  apiVersion?: string;
  digest: string;
  name: string;
  namespace: string;
  version: number;
  status: string;
  action?: string;
  chartName: string;
  chartVersion: string;
  appVersion?: string;
  configDigest: string;
  firstDeployed: string;
  lastDeployed: string;
  deleted?: string;
  testHooks?: Record<string, { lastStarted?: string; lastCompleted?: string; phase?: string }>;
  ociDigest?: string;
}

export interface HelmReleaseStatus {
  observedGeneration?: number;
  observedPostRenderersDigest?: string;
  observedCommonMetadataDigest?: string;
  lastAttemptedGeneration?: number;
  lastAttemptedRevision?: string;
  lastAttemptedRevisionDigest?: string;
  lastAttemptedConfigDigest?: string;
  lastAttemptedReleaseAction?: 'install' | 'upgrade';
  lastAttemptedReleaseActionDuration?: string;
  lastHandledReconcileAt?: string;
  lastHandledForceAt?: string;
  lastHandledResetAt?: string;
  conditions?: Condition[];
  helmChart?: string;
  storageNamespace?: string;
  history?: ReleaseSnapshot[];
  inventory?: Inventory;
  failures?: number;
  installFailures?: number;
  upgradeFailures?: number;
}

/** A release of a chart that is kept as its spec says. */
export interface HelmRelease extends KubeObject {
  spec: HelmReleaseSpec;
  status?: HelmReleaseStatus;
}

const source = { group: 'source.toolkit.fluxcd.io', version: 'v1', scope: 'Namespaced' } as const;

export const helmRepositoryKind = defineKind<HelmRepository>({
  ...source,
  kind: 'HelmRepository',
  plural: 'helmrepositories',
});

export const helmChartKind = defineKind<HelmChart>({
  ...source,
  kind: 'HelmChart',
  plural: 'helmcharts',
});

export const helmReleaseGroup = 'helm.toolkit.fluxcd.io';

export const helmReleaseKind = defineKind<HelmRelease>({
  group: helmReleaseGroup,
  version: 'v2',
  scope: 'Namespaced',
  kind: 'HelmRelease',
  plural: 'helmreleases',
});
