export { listArchive } from './chart/archive.ts';
export { type Chart, type ChartCrd, crdsOf } from './chart/chart.ts';
export type { ChartFile } from './chart/chart-file.ts';
export { type LoadOptions, loadArchive, loadChart } from './chart/load-chart.ts';
export { type PackOptions, packChart, packFiles } from './chart/pack-chart.ts';
export {
  findInIndex,
  type IndexEntry,
  type RepositoryIndex,
  readIndex,
} from './chart/repository-index.ts';
export { mergeMaps, readValuesFile } from './chart/values-file.ts';
export { readChartDirectory } from './command/chart-directory.ts';
export type { FlagDefinition } from './command/flag-set.ts';
export { flagsOf, globalFlags } from './command/flags.ts';
export { MemoryFiles } from './command/memory-files.ts';
export { runHelm } from './command/run-helm.ts';
export type {
  ClusterAccess,
  CommandFiles,
  CommandNetwork,
  CommandWorld,
  Fetched,
  FetchOptions,
  FileStatus,
  PostRenderer,
  ProvenanceCheck,
  ProvenanceSigner,
  PulledChart,
  RegistryOptions,
} from './command/world.ts';
export { type Capabilities, capabilitiesObject } from './engine/capabilities.ts';
export { type ChartDependency, type ChartMetadata, chartObject } from './engine/chart-object.ts';
export { defaultCapabilities } from './engine/default-capabilities.ts';
export { filesObject } from './engine/files.ts';
export { placesOfPrinted, type RenderedFile } from './engine/line-origins.ts';
export {
  type RenderOptions,
  renderTemplates,
  type TemplateFile,
} from './engine/render-templates.ts';
export { type HelmMajor, valuesType } from './engine/values-type.ts';
export type { FunctionOptions } from './functions/function-options.ts';
export { type EngineLimits, parseLimits } from './go/budget.ts';
export { encodeBytes } from './go/bytes.ts';
export type { GoType } from './go/type.ts';
export { GoMap, type GoValue, goInt } from './go/value.ts';
export type { HelmErrorCode } from './helm-error.ts';
export { HelmError } from './helm-error.ts';
export type { SchemaDocuments } from './json-schema/values-schema.ts';
export { type Log, type LogEntry, printLogEntry } from './log-entry.ts';
export { type InstallOptions, installRelease } from './release/install.ts';
export { owned as ownedObject } from './release/ownership.ts';
export {
  ClusterRefusal,
  type ContainerLog,
  type PodChoice,
  type Propagation,
  type ReadyOptions,
  type ReleaseCluster,
  type ReleaseSecret,
  type WaitStrategy,
} from './release/release-cluster.ts';
export {
  type ActionOptions,
  type ReleaseContext,
  ReleaseFailure,
} from './release/release-context.ts';
export { buildObjects, readManifest } from './release/release-objects.ts';
export { type ReleaseRecord, ReleaseStorage } from './release/release-storage.ts';
export { type RenderAgainOptions, renderAgain } from './release/render-again.ts';
export type { FilePostRenderer, ReleaseRenderOptions } from './release/render-release.ts';
export { type RollbackOptions, rollbackRelease } from './release/rollback.ts';
export {
  type ApplyMethod,
  decodeRelease,
  encodeRelease,
  isPending,
  type ReleaseInfo,
  type ReleaseStatus,
  type StoredChart,
  type StoredFile,
  type StoredHook,
  type StoredRelease,
} from './release/stored-release.ts';
export { type TestOptions, testRelease } from './release/test-release.ts';
export { type Uninstalled, type UninstallOptions, uninstallRelease } from './release/uninstall.ts';
export { type UpgradeOptions, upgradeRelease } from './release/upgrade.ts';
export type { Hook, HookEvent, Manifest } from './render/manifests.ts';
export { filesOfObjects, objectsOfFiles } from './render/post-rendered-files.ts';
export {
  printManifests,
  type RenderChartOptions,
  type RenderedChart,
  renderChart,
} from './render/render-chart.ts';
export type { Release } from './render/template-files.ts';
export { printValues } from './values/print-values.ts';
export { goValueFromJson, readValues } from './values/read-values.ts';
export { EmptyItems, type SetKind, type SetOptions, setValues } from './values/set-values.ts';
