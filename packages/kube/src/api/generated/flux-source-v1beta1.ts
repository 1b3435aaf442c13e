// Made by `npm run docs`: change scripts/kube-types.mjs, or the facts that it reads.
import { defineKind, type KubeObject } from '@waygate/schema';

export interface Bucket extends KubeObject {
  apiVersion?: 'source.toolkit.fluxcd.io/v1beta1';
  kind?: 'Bucket';
  spec?: BucketSpec;
  status?: BucketStatus;
}

export const Bucket = /* @__PURE__ */ defineKind<Bucket>({
  group: 'source.toolkit.fluxcd.io',
  version: 'v1beta1',
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
  accessFrom?: BucketSpecAccessFrom;
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

export interface BucketSpecAccessFrom {
  namespaceSelectors: BucketSpecAccessFromNamespaceSelectorsItem[];
}

export interface BucketSpecAccessFromNamespaceSelectorsItem {
  matchLabels?: Record<string, string>;
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
  digest?: string;
  lastUpdateTime?: string;
  metadata?: Record<string, string>;
  path: string;
  revision?: string;
  size?: number;
  url: string;
  checksum?: string;
}

export interface BucketStatusConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}

export interface GitRepository extends KubeObject {
  apiVersion?: 'source.toolkit.fluxcd.io/v1beta1';
  kind?: 'GitRepository';
  spec?: GitRepositorySpec;
  status?: GitRepositoryStatus;
}

export const GitRepository = /* @__PURE__ */ defineKind<GitRepository>({
  group: 'source.toolkit.fluxcd.io',
  version: 'v1beta1',
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
  accessFrom?: GitRepositorySpecAccessFrom;
  gitImplementation?: 'go-git' | 'libgit2';
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

export interface GitRepositorySpecAccessFrom {
  namespaceSelectors: GitRepositorySpecAccessFromNamespaceSelectorsItem[];
}

export interface GitRepositorySpecAccessFromNamespaceSelectorsItem {
  matchLabels?: Record<string, string>;
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
  digest?: string;
  lastUpdateTime?: string;
  metadata?: Record<string, string>;
  path: string;
  revision?: string;
  size?: number;
  url: string;
  checksum?: string;
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
