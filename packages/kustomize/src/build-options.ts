import type { FileSystem } from './file-system/file-system.ts';
import type { LoaderLimits, LoadRestrictor } from './loader.ts';
import type {
  HelmOutput,
  HelmRequest,
  ProgramOutcome,
  ProgramRequest,
  ProgramRights,
} from './plugins/plugin-context.ts';

/** A remote base that somebody has fetched. */
export interface FetchedFiles {
  readonly fileSystem: FileSystem;
  /** The directory, or the file, that the URL names. */
  readonly path: string;
}

/** How to build: what may be read, fetched, rendered and run, and within which limits. */
export interface BuildOptions {
  /** Whether files outside of a kustomization's directory may be read. No, by default. */
  readonly loadRestrictor?: LoadRestrictor;
  /** The path as a person gave it, where what is wrong with it is told. */
  readonly shownAs?: string;
  /** The order of the output when the kustomization does not say: `legacy` by default. */
  readonly reorder?: 'legacy' | 'none';
  /** Adds the label that names the builder to every resource. */
  readonly addManagedByLabel?: boolean;
  /** Gets remote bases and files. Without it they are refused. */
  readonly fetch?: (url: string) => Promise<FetchedFiles>;
  /**
   * Pulls Helm charts and renders them to YAML; with the places of its lines, `explain` names templates.
   * Without it charts are refused.
   */
  readonly helm?: (request: HelmRequest) => Promise<string | HelmOutput>;
  /** Runs functions and plugins that are programs. Without it they are refused. */
  readonly programs?: ProgramRights & {
    readonly run: (request: ProgramRequest) => Promise<ProgramOutcome>;
  };
  /** Follows each field through the build, for `explain`. */
  readonly explain?: boolean;
  readonly limits?: Partial<BuildLimits>;
}

/** What a build may cost before it is refused with `WG_KUSTOMIZE_LIMIT`. */
export interface BuildLimits extends LoaderLimits {
  readonly maxResources: number;
  readonly maxLayers: number;
}
