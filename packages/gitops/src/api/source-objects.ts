import { defineKind, type KubeObject } from '@waygate/schema';
import type { Condition } from './conditions.ts';

export interface LocalObjectReference {
  name: string;
}

/** What a source offers: an archive at a URL, and what it was made from. */
export interface Artifact {
  path: string;
  url: string;
  revision: string;
  digest: string;
  lastUpdateTime: string;
  size?: number;
  metadata?: Record<string, string>;
}

export interface SourceStatus {
  observedGeneration?: number;
  lastHandledReconcileAt?: string;
  conditions?: Condition[];
  artifact?: Artifact;
  url?: string;
  observedIgnore?: string;
}

/** A source of any kind, as far as those who use its artifact need it. */
export interface SourceObject extends KubeObject {
  spec?: { interval?: string; suspend?: boolean };
  status?: SourceStatus;
}

export interface GitReference {
  branch?: string;
  tag?: string;
  semver?: string;
  name?: string;
  commit?: string;
}

interface GitInclude {
  repository: LocalObjectReference;
  fromPath?: string;
  toPath?: string;
}

export interface GitRepositorySpec {
  url: string;
  interval: string;
  timeout?: string;
  ref?: GitReference;
  secretRef?: LocalObjectReference;
  provider?: string;
  ignore?: string;
  suspend?: boolean;
  recurseSubmodules?: boolean;
  include?: GitInclude[];
  sparseCheckout?: string[];
  proxySecretRef?: LocalObjectReference;
  serviceAccountName?: string;
  verify?: { mode?: string; secretRef: LocalObjectReference };
}

export interface GitRepositoryStatus extends SourceStatus {
  observedRecurseSubmodules?: boolean;
  observedInclude?: GitInclude[];
  observedSparseCheckout?: string[];
  includedArtifacts?: Artifact[];
  sourceVerificationMode?: string;
}

export interface GitRepository extends KubeObject {
  spec: GitRepositorySpec;
  status?: GitRepositoryStatus;
}

interface OciReference {
  tag?: string;
  semver?: string;
  semverFilter?: string;
  digest?: string;
}

interface OciLayerSelector {
  mediaType?: string;
  operation?: 'extract' | 'copy';
}

/** Whose signature is wanted. */
export interface OciVerification {
  provider: string;
  secretRef?: LocalObjectReference;
  matchOIDCIdentity?: { issuer: string; subject: string }[];
  trustedRootSecretRef?: LocalObjectReference;
}

interface OciRepositorySpec {
  url: string;
  interval: string;
  timeout?: string;
  ref?: OciReference;
  layerSelector?: OciLayerSelector;
  provider?: string;
  secretRef?: LocalObjectReference;
  serviceAccountName?: string;
  certSecretRef?: LocalObjectReference;
  proxySecretRef?: LocalObjectReference;
  verify?: OciVerification;
  ignore?: string;
  insecure?: boolean;
  suspend?: boolean;
}

export interface OciRepositoryStatus extends SourceStatus {
  observedLayerSelector?: OciLayerSelector;
}

export interface OciRepository extends KubeObject {
  spec: OciRepositorySpec;
  status?: OciRepositoryStatus;
}

interface BucketSpec {
  bucketName: string;
  endpoint: string;
  interval: string;
  timeout?: string;
  provider?: string;
  region?: string;
  prefix?: string;
  insecure?: boolean;
  secretRef?: LocalObjectReference;
  serviceAccountName?: string;
  certSecretRef?: LocalObjectReference;
  proxySecretRef?: LocalObjectReference;
  sts?: { provider: string; endpoint: string; secretRef?: LocalObjectReference };
  ignore?: string;
  suspend?: boolean;
}

export interface Bucket extends KubeObject {
  spec: BucketSpec;
  status?: SourceStatus;
}

export interface ExternalArtifact extends KubeObject {
  spec?: { sourceRef?: { apiVersion?: string; kind: string; name: string; namespace?: string } };
  status?: { artifact?: Artifact; conditions?: Condition[] };
}

const source = { group: 'source.toolkit.fluxcd.io', version: 'v1', scope: 'Namespaced' } as const;

export const gitRepositoryKind = defineKind<GitRepository>({
  ...source,
  kind: 'GitRepository',
  plural: 'gitrepositories',
});

export const bucketKind = defineKind<Bucket>({
  ...source,
  kind: 'Bucket',
  plural: 'buckets',
});

export const ociRepositoryKind = defineKind<OciRepository>({
  ...source,
  kind: 'OCIRepository',
  plural: 'ocirepositories',
});

export const externalArtifactKind = defineKind<ExternalArtifact>({
  ...source,
  kind: 'ExternalArtifact',
  plural: 'externalartifacts',
});
