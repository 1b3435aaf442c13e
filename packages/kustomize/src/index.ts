export { build, buildSync } from './build.ts';
export type { BuildLimits, BuildOptions, FetchedFiles } from './build-options.ts';
export { BuildResult, type BuiltResource, type ResourceOrigin } from './build-result.ts';
export type { Kustomization } from './config/kustomization.ts';
export { type ReadKustomization, readKustomization } from './config/read-kustomization.ts';
export type { EditCommand } from './edit/command.ts';
export { editCommands } from './edit/commands.ts';
export { createCommand } from './edit/create.ts';
export type { EditFlag } from './edit/flags.ts';
export type { EditMessage, EditOutcome, EditPlace, FileWrite } from './edit/outcome.ts';
export { runEdit } from './edit/run-edit.ts';
export type { FieldOrigin } from './explain.ts';
export { directoryFileSystem } from './file-system/directory.ts';
export type { FileSystem, ListedFileSystem, Resolution } from './file-system/file-system.ts';
export { MemoryFileSystem, memoryFileSystem } from './file-system/memory.ts';
export { type TarLimits, tarFileSystem } from './file-system/tar.ts';
export { KustomizeError, type KustomizeErrorCode } from './kustomize-error.ts';
export type { LoaderLimits, LoadRestrictor } from './loader.ts';
export { type Localized, type LocalizeRequest, localize } from './localize/localize.ts';
export { repositoryAddress } from './localize/localized-paths.ts';
export { type MergeYamlOptions, mergeYaml } from './merge-yaml.ts';
export type {
  HelmOutput,
  HelmRequest,
  ProgramOutcome,
  ProgramRequest,
  ProgramRights,
} from './plugins/plugin-context.ts';
export type { Problem } from './problem.ts';
