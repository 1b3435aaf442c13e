export {
  finalizer,
  forceAtAnnotation,
  requestedAtAnnotation,
  resetAtAnnotation,
} from './api/annotations.ts';
export { type Condition, Conditions } from './api/conditions.ts';
export {
  type HelmChart,
  type HelmRelease,
  type HelmRepository,
  helmChartKind,
  helmReleaseKind,
  helmRepositoryKind,
} from './api/helm-objects.ts';
export {
  type Kustomization,
  type KustomizationSpec,
  type KustomizationStatus,
  kustomizationGroup,
  kustomizationKind,
} from './api/kustomization-object.ts';
export { eventGroup, type NotificationEvent } from './api/notification-event.ts';
export {
  type Alert,
  type AlertSpec,
  alertKind,
  type CrossNamespaceReference,
  notificationGroup,
  type Provider,
  type ProviderSpec,
  providerKind,
  type Receiver,
  type ReceiverResource,
  type ReceiverSpec,
  type ReceiverStatus,
  receiverKind,
} from './api/notification-objects.ts';
export {
  type Artifact,
  bucketKind,
  type ExternalArtifact,
  externalArtifactKind,
  type GitRepository,
  type GitRepositorySpec,
  type GitRepositoryStatus,
  gitRepositoryKind,
  ociRepositoryKind,
  type SourceObject,
} from './api/source-objects.ts';
export { ArtifactFetcher, type ArtifactFetcherOptions } from './artifact/artifact-fetcher.ts';
export type { ArtifactServerOptions } from './artifact/artifact-server.ts';
export { ArtifactStorage, type ArtifactStorageOptions } from './artifact/artifact-storage.ts';
export type { FileEntry } from './artifact/file-entry.ts';
export { fileListKey, fileListOf, type ListedFile } from './artifact/file-list.ts';
export { FileTree } from './artifact/file-tree.ts';
export { tarArchive } from './artifact/tar-writer.ts';
export { defaultUnpackLimits, type UnpackLimits, unpack } from './artifact/unpack.ts';
export { customResourceDefinitions } from './crds/custom-resource-definitions.ts';
export { gitOpsFlags, gitOpsGates } from './flags/gitops-flags.ts';
export {
  type GitOpsFlagOptions,
  type GitOpsSurroundings,
  gitOpsOptionsFromFlags,
} from './flags/options-from-flags.ts';
export { GitProgram, type GitProgramOptions } from './git/git-program.ts';
export { GitRemote, type ResolvedCommit } from './git/git-remote.ts';
export {
  type GitOpsControllerName,
  GitOpsControllers,
  type GitOpsControllersOptions,
} from './gitops-controllers.ts';
export { type ErrorSubject, GitOpsError, type GitOpsErrorCode } from './gitops-error.ts';
export type { HookAddress } from './http/hook-server.ts';
export { OutgoingClient } from './http/outgoing-client.ts';
export { SourceIgnore, type SourceIgnoreOptions } from './ignore/source-ignore.ts';
export type { AppliedChanges } from './kustomization/apply-step.ts';
export { type BuiltManifests, buildManifests } from './kustomization/build-manifests.ts';
export { type DependencyNode, sortDependencies } from './kustomization/dependencies.ts';
export { driftAnnotation } from './kustomization/drift-report.ts';
export { type GeneratedKustomization, generateKustomization } from './kustomization/generate.ts';
export { type HistoryRecord, withOutcome } from './kustomization/history.ts';
export { PhaseError } from './kustomization/phase-error.ts';
export {
  builtKustomization,
  type KustomizationPreview,
  type PreviewOptions,
  previewKustomization,
} from './kustomization/preview.ts';
export { pruneLimitAnnotation } from './kustomization/prune-guard.ts';
export { ReconcileMetrics } from './metrics.ts';
export type {
  NotificationSettings,
  Notifications,
} from './notification/notification-controllers.ts';
export { type MessageResult, NotificationMetrics } from './notification/notification-metrics.ts';
export { DockerConfig } from './oci/docker-config.ts';
export { parseManifest } from './oci/oci-manifest.ts';
export { parseOciUrl } from './oci/oci-reference.ts';
export { RegistryClient } from './oci/registry-client.ts';
export { providerTypes } from './provider/provider-types.ts';
export { receiverTypes } from './receiver/receiver-types.ts';
export { webhookPath } from './receiver/webhook-path.ts';
export { fetchedChart } from './release/fetched-chart.ts';
export {
  KubeReleaseCluster,
  type KubeReleaseClusterOptions,
} from './release/kube-release-cluster.ts';
export type { PreviewedHook } from './release/preview-cluster.ts';
export { previewRelease, type ReleasePreview } from './release/release-preview.ts';
export { releaseValuesText } from './release/release-values.ts';
export { type DecryptionKeys, decryptionKeysOf } from './sops/data-key.ts';
export { SopsDecryptor } from './sops/sops-decryptor.ts';
export { decryptFile, type SopsFormat } from './sops/sops-file.ts';
export { bucketRevision } from './source/bucket-revision.ts';
export { readDirectory } from './source/directory-files.ts';
export { DirectorySource, type DirectorySourceOptions } from './source/directory-source.ts';
export {
  type GitReadOptions,
  type GitReferenceNames,
  gitReferenceFiles,
  gitReferenceNames,
} from './source/git-reference.ts';
export { standingAsideGauge } from './standing-aside.ts';
export { SubstitutionError } from './substitution/expression.ts';
export { type SubstituteOptions, substitute } from './substitution/substitute.ts';
export {
  type ResourceSubstitutionOptions,
  substituteResource,
} from './substitution/substitute-resource.ts';
export { loadVariables } from './substitution/variables.ts';
export { latestVersion } from './version/latest-version.ts';
