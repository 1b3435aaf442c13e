// Made by `npm run docs`: change scripts/kube-types.mjs, or the facts that it reads.
import { defineKind, type KubeObject } from '@waygate/schema';

export interface Bucket extends KubeObject {
  apiVersion?: 'source.toolkit.fluxcd.io/v1';
  kind?: 'Bucket';
  spec?: BucketSpec;
  status?: BucketStatus;
}

export const Bucket = /* @__PURE__ */ defineKind<Bucket>({
  group: 'source.toolkit.fluxcd.io',
  version: 'v1',
  kind: 'Bucket',
  plural: 'buckets',
  scope: 'Namespaced',
});

export interface BucketSpec {
  bucketName: string;
  certSecretRef?: BucketSpecCertSecretRef;
  endpoint: string;
  ignore?: string;
  insecure?: boolean;
  interval: string;
  prefix?: string;
  provider?: 'generic' | 'aws' | 'gcp' | 'azure';
  proxySecretRef?: BucketSpecProxySecretRef;
  region?: string;
  secretRef?: BucketSpecSecretRef;
  serviceAccountName?: string;
  sts?: BucketSpecSts;
  suspend?: boolean;
  timeout?: string;
}

export interface BucketSpecCertSecretRef {
  name: string;
}

export interface BucketSpecProxySecretRef {
  name: string;
}

export interface BucketSpecSecretRef {
  name: string;
}

export interface BucketSpecSts {
  certSecretRef?: BucketSpecStsCertSecretRef;
  endpoint: string;
  provider: 'aws' | 'ldap';
  secretRef?: BucketSpecStsSecretRef;
}

export interface BucketSpecStsCertSecretRef {
  name: string;
}

export interface BucketSpecStsSecretRef {
  name: string;
}

export interface BucketStatus {
  artifact?: BucketStatusArtifact;
  conditions?: BucketStatusConditionsItem[];
  lastHandledReconcileAt?: string;
  observedGeneration?: number;
  observedIgnore?: string;
  url?: string;
}

export interface BucketStatusArtifact {
  digest: string;
  lastUpdateTime: string;
  metadata?: Record<string, string>;
  path: string;
  revision: string;
  size?: number;
  url: string;
}

export interface BucketStatusConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}

export interface ExternalArtifact extends KubeObject {
  apiVersion?: 'source.toolkit.fluxcd.io/v1';
  kind?: 'ExternalArtifact';
  spec?: ExternalArtifactSpec;
  status?: ExternalArtifactStatus;
}

export const ExternalArtifact = /* @__PURE__ */ defineKind<ExternalArtifact>({
  group: 'source.toolkit.fluxcd.io',
  version: 'v1',
  kind: 'ExternalArtifact',
  plural: 'externalartifacts',
  scope: 'Namespaced',
});

export interface ExternalArtifactSpec {
  sourceRef?: ExternalArtifactSpecSourceRef;
}

export interface ExternalArtifactSpecSourceRef {
  apiVersion?: string;
  kind: string;
  name: string;
  namespace?: string;
}

export interface ExternalArtifactStatus {
  artifact?: ExternalArtifactStatusArtifact;
  conditions?: ExternalArtifactStatusConditionsItem[];
}

export interface ExternalArtifactStatusArtifact {
  digest: string;
  lastUpdateTime: string;
  metadata?: Record<string, string>;
  path: string;
  revision: string;
  size?: number;
  url: string;
}

export interface ExternalArtifactStatusConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}

export interface GitRepository extends KubeObject {
  apiVersion?: 'source.toolkit.fluxcd.io/v1';
  kind?: 'GitRepository';
  spec?: GitRepositorySpec;
  status?: GitRepositoryStatus;
}

export const GitRepository = /* @__PURE__ */ defineKind<GitRepository>({
  group: 'source.toolkit.fluxcd.io',
  version: 'v1',
  kind: 'GitRepository',
  plural: 'gitrepositories',
  scope: 'Namespaced',
});

export interface GitRepositorySpec {
  ignore?: string;
  include?: GitRepositorySpecIncludeItem[];
  interval: string;
  provider?: 'generic' | 'aws' | 'azure' | 'github';
  proxySecretRef?: GitRepositorySpecProxySecretRef;
  recurseSubmodules?: boolean;
  ref?: GitRepositorySpecRef;
  secretRef?: GitRepositorySpecSecretRef;
  serviceAccountName?: string;
  sparseCheckout?: string[];
  suspend?: boolean;
  timeout?: string;
  url: string;
  verify?: GitRepositorySpecVerify;
}

export interface GitRepositorySpecIncludeItem {
  fromPath?: string;
  repository: GitRepositorySpecIncludeItemRepository;
  toPath?: string;
}

export interface GitRepositorySpecIncludeItemRepository {
  name: string;
}

export interface GitRepositorySpecProxySecretRef {
  name: string;
}

export interface GitRepositorySpecRef {
  branch?: string;
  commit?: string;
  name?: string;
  semver?: string;
  tag?: string;
}

export interface GitRepositorySpecSecretRef {
  name: string;
}

export interface GitRepositorySpecVerify {
  mode?: 'head' | 'HEAD' | 'Tag' | 'TagAndHEAD';
  secretRef: GitRepositorySpecVerifySecretRef;
}

export interface GitRepositorySpecVerifySecretRef {
  name: string;
}

export interface GitRepositoryStatus {
  artifact?: GitRepositoryStatusArtifact;
  conditions?: GitRepositoryStatusConditionsItem[];
  includedArtifacts?: GitRepositoryStatusIncludedArtifactsItem[];
  lastHandledReconcileAt?: string;
  observedGeneration?: number;
  observedIgnore?: string;
  observedInclude?: GitRepositoryStatusObservedIncludeItem[];
  observedRecurseSubmodules?: boolean;
  observedSparseCheckout?: string[];
  sourceVerificationMode?: string;
}

export interface GitRepositoryStatusArtifact {
  digest: string;
  lastUpdateTime: string;
  metadata?: Record<string, string>;
  path: string;
  revision: string;
  size?: number;
  url: string;
}

export interface GitRepositoryStatusConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}

export interface GitRepositoryStatusIncludedArtifactsItem {
  digest: string;
  lastUpdateTime: string;
  metadata?: Record<string, string>;
  path: string;
  revision: string;
  size?: number;
  url: string;
}

export interface GitRepositoryStatusObservedIncludeItem {
  fromPath?: string;
  repository: GitRepositoryStatusObservedIncludeItemRepository;
  toPath?: string;
}

export interface GitRepositoryStatusObservedIncludeItemRepository {
  name: string;
}

export interface HelmChart extends KubeObject {
  apiVersion?: 'source.toolkit.fluxcd.io/v1';
  kind?: 'HelmChart';
  spec?: HelmChartSpec;
  status?: HelmChartStatus;
}

export const HelmChart = /* @__PURE__ */ defineKind<HelmChart>({
  group: 'source.toolkit.fluxcd.io',
  version: 'v1',
  kind: 'HelmChart',
  plural: 'helmcharts',
  scope: 'Namespaced',
});

export interface HelmChartSpec {
  chart: string;
  ignoreMissingValuesFiles?: boolean;
  interval: string;
  reconcileStrategy?: 'ChartVersion' | 'Revision';
  sourceRef: HelmChartSpecSourceRef;
  suspend?: boolean;
  valuesFiles?: string[];
  verify?: HelmChartSpecVerify;
  version?: string;
}

export interface HelmChartSpecSourceRef {
  apiVersion?: string;
  kind: 'HelmRepository' | 'GitRepository' | 'Bucket';
  name: string;
}

export interface HelmChartSpecVerify {
  matchOIDCIdentity?: HelmChartSpecVerifyMatchOIDCIdentityItem[];
  provider: 'cosign' | 'notation';
  secretRef?: HelmChartSpecVerifySecretRef;
}

export interface HelmChartSpecVerifyMatchOIDCIdentityItem {
  issuer: string;
  subject: string;
}

export interface HelmChartSpecVerifySecretRef {
  name: string;
}

export interface HelmChartStatus {
  artifact?: HelmChartStatusArtifact;
  conditions?: HelmChartStatusConditionsItem[];
  lastHandledReconcileAt?: string;
  observedChartName?: string;
  observedGeneration?: number;
  observedSourceArtifactRevision?: string;
  observedValuesFiles?: string[];
  url?: string;
}

export interface HelmChartStatusArtifact {
  digest: string;
  lastUpdateTime: string;
  metadata?: Record<string, string>;
  path: string;
  revision: string;
  size?: number;
  url: string;
}

export interface HelmChartStatusConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}

export interface HelmRepository extends KubeObject {
  apiVersion?: 'source.toolkit.fluxcd.io/v1';
  kind?: 'HelmRepository';
  spec?: HelmRepositorySpec;
  status?: HelmRepositoryStatus;
}

export const HelmRepository = /* @__PURE__ */ defineKind<HelmRepository>({
  group: 'source.toolkit.fluxcd.io',
  version: 'v1',
  kind: 'HelmRepository',
  plural: 'helmrepositories',
  scope: 'Namespaced',
});

export interface HelmRepositorySpec {
  accessFrom?: HelmRepositorySpecAccessFrom;
  certSecretRef?: HelmRepositorySpecCertSecretRef;
  insecure?: boolean;
  interval?: string;
  passCredentials?: boolean;
  provider?: 'generic' | 'aws' | 'azure' | 'gcp';
  secretRef?: HelmRepositorySpecSecretRef;
  suspend?: boolean;
  timeout?: string;
  type?: 'default' | 'oci';
  url: string;
}

export interface HelmRepositorySpecAccessFrom {
  namespaceSelectors: HelmRepositorySpecAccessFromNamespaceSelectorsItem[];
}

export interface HelmRepositorySpecAccessFromNamespaceSelectorsItem {
  matchLabels?: Record<string, string>;
}

export interface HelmRepositorySpecCertSecretRef {
  name: string;
}

export interface HelmRepositorySpecSecretRef {
  name: string;
}

export interface HelmRepositoryStatus {
  artifact?: HelmRepositoryStatusArtifact;
  conditions?: HelmRepositoryStatusConditionsItem[];
  lastHandledReconcileAt?: string;
  observedGeneration?: number;
  url?: string;
}

export interface HelmRepositoryStatusArtifact {
  digest: string;
  lastUpdateTime: string;
  metadata?: Record<string, string>;
  path: string;
  revision: string;
  size?: number;
  url: string;
}

export interface HelmRepositoryStatusConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}

export interface OCIRepository extends KubeObject {
  apiVersion?: 'source.toolkit.fluxcd.io/v1';
  kind?: 'OCIRepository';
  spec?: OCIRepositorySpec;
  status?: OCIRepositoryStatus;
}

export const OCIRepository = /* @__PURE__ */ defineKind<OCIRepository>({
  group: 'source.toolkit.fluxcd.io',
  version: 'v1',
  kind: 'OCIRepository',
  plural: 'ocirepositories',
  scope: 'Namespaced',
});

export interface OCIRepositorySpec {
  certSecretRef?: OCIRepositorySpecCertSecretRef;
  ignore?: string;
  insecure?: boolean;
  interval: string;
  layerSelector?: OCIRepositorySpecLayerSelector;
  provider?: 'generic' | 'aws' | 'azure' | 'gcp';
  proxySecretRef?: OCIRepositorySpecProxySecretRef;
  ref?: OCIRepositorySpecRef;
  secretRef?: OCIRepositorySpecSecretRef;
  serviceAccountName?: string;
  suspend?: boolean;
  timeout?: string;
  url: string;
  verify?: OCIRepositorySpecVerify;
}

export interface OCIRepositorySpecCertSecretRef {
  name: string;
}

export interface OCIRepositorySpecLayerSelector {
  mediaType?: string;
  operation?: 'extract' | 'copy';
}

export interface OCIRepositorySpecProxySecretRef {
  name: string;
}

export interface OCIRepositorySpecRef {
  digest?: string;
  semver?: string;
  semverFilter?: string;
  tag?: string;
}

export interface OCIRepositorySpecSecretRef {
  name: string;
}

export interface OCIRepositorySpecVerify {
  matchOIDCIdentity?: OCIRepositorySpecVerifyMatchOIDCIdentityItem[];
  provider: 'cosign' | 'notation';
  secretRef?: OCIRepositorySpecVerifySecretRef;
  trustedRootSecretRef?: OCIRepositorySpecVerifyTrustedRootSecretRef;
}

export interface OCIRepositorySpecVerifyMatchOIDCIdentityItem {
  issuer: string;
  subject: string;
}

export interface OCIRepositorySpecVerifySecretRef {
  name: string;
}

export interface OCIRepositorySpecVerifyTrustedRootSecretRef {
  name: string;
}

export interface OCIRepositoryStatus {
  artifact?: OCIRepositoryStatusArtifact;
  conditions?: OCIRepositoryStatusConditionsItem[];
  lastHandledReconcileAt?: string;
  observedGeneration?: number;
  observedIgnore?: string;
  observedLayerSelector?: OCIRepositoryStatusObservedLayerSelector;
  url?: string;
}

export interface OCIRepositoryStatusArtifact {
  digest: string;
  lastUpdateTime: string;
  metadata?: Record<string, string>;
  path: string;
  revision: string;
  size?: number;
  url: string;
}

export interface OCIRepositoryStatusConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}

export interface OCIRepositoryStatusObservedLayerSelector {
  mediaType?: string;
  operation?: 'extract' | 'copy';
}
