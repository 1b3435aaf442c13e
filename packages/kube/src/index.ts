export {
  defineKind,
  type Kind,
  type KubeObject,
  kinds,
  type ObjectMeta,
} from '@waygate/schema';
export { KubeClient, type KubeClientOptions } from './client.ts';
export type { ConnectionConfig, Impersonation, TlsSettings } from './config/connection-config.ts';
export {
  anonymous,
  basicCredentials,
  type CredentialSource,
  type Credentials,
  staticToken,
} from './config/credentials.ts';
export { tokenFile } from './config/token-file.ts';
export type {
  ApiGroup,
  ApiResource,
  ApiSubresource,
  ApiSurface,
  ServerVersion,
} from './discovery/api-resource.ts';
export { Discovery } from './discovery/discovery.ts';
export { RestMapper, type RestMapperOptions } from './discovery/rest-mapper.ts';
export { KubeError, type KubeErrorCode } from './error.ts';
export {
  errorFromStatus,
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isConnectionError,
  isConnectionRefused,
  isConnectionReset,
  isExpired,
  isExpiredOrGone,
  isFenced,
  isForbidden,
  isGone,
  isInternalError,
  isInvalid,
  isMethodNotSupported,
  isNoMatch,
  isNotFound,
  isRequestEntityTooLarge,
  isServiceUnavailable,
  isTimeout,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isUnauthorized,
  isUnreachable,
  isUnsupportedMediaType,
} from './error-predicate.ts';
export { type ContextOptions, configOfContext } from './kubeconfig/context-config.ts';
export { ExecCredentials, type ExecCredentialsOptions } from './kubeconfig/exec-credentials.ts';
export { inClusterConfig } from './kubeconfig/in-cluster.ts';
export {
  type ExecConfig,
  emptyKubeconfig,
  type Kubeconfig,
  type KubeconfigCluster,
  type KubeconfigContext,
  type KubeconfigUser,
  mergeKubeconfigs,
  parseKubeconfig,
} from './kubeconfig/kubeconfig.ts';
export { type LoadConfigOptions, loadConfig, loadKubeconfig } from './kubeconfig/load-config.ts';
export type { OidcTokens } from './kubeconfig/oidc-credentials.ts';
export {
  type ItemKey,
  type ItemMetadata,
  scanItemKey,
  scanItemMetadata,
  scanManagedFields,
} from './list/item-metadata.ts';
export { ListScanner, type ListScannerOptions } from './list/list-scanner.ts';
export type {
  CallOptions,
  ListOptions,
  ListPage,
  ListResult,
  WatchOptions,
} from './list-options.ts';
export type { PartialObjectMetadata, Table } from './resource/representation.ts';
export { type GetOptions, type ItemOptions, Resource } from './resource/resource.ts';
export { Subresource } from './resource/subresource.ts';
export type {
  ApplyObject,
  MergePatch,
  Partially,
  PatchBody,
  StrategicPatch,
} from './resource/typed-write.ts';
export type {
  ApplyOptions,
  DeleteOptions,
  PatchOptions,
  PatchType,
  WriteOptions,
} from './resource/write-options.ts';
export { type ConflictOptions, retryOnConflict } from './retry-on-conflict.ts';
export { type ExecOutput, ExecSession } from './stream/exec-session.ts';
export {
  type AttachOptions,
  type ExecOptions,
  type LogOptions,
  PodClient,
} from './stream/pod-client.ts';
export { PortForwarder } from './stream/port-forwarder.ts';
export type { ApiRequest } from './transport/api-request.ts';
export type { JsonRequest } from './transport/json-call.ts';
export { type RequestEnd, Transport, type TransportOptions } from './transport/transport.ts';
export type { ApiWarning } from './transport/warning-header.ts';
export { mapEvents, type WatchStream } from './watch/event-stream.ts';
export type { ObjectEvent } from './watch/resuming-watch.ts';
export type { WatchCallOptions } from './watch/watch-call.ts';
export {
  decodeWatch,
  type RawWatchEvent,
  type WatchDecoderOptions,
} from './watch/watch-decoder.ts';
export type { WatchEvent } from './watch-event.ts';
