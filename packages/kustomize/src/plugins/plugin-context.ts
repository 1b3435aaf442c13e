import type { HelmChart, HelmGlobals } from '../config/kustomization.ts';
import type { Loader } from '../loader.ts';
import type { Resource } from '../resource.ts';
import type { SchemaSet } from '../schema-facts.ts';

/** What a Helm that is not part of a build is asked for, in this order. */
export interface HelmRequest {
  /** `pull` puts the chart into `chartHome`; `template` renders it. */
  readonly step: 'pull' | 'template';
  readonly chart: HelmChart;
  readonly globals: HelmGlobals;
  /** The directory of the kustomization, as the file system describes it. */
  readonly directory: string;
  /** The directory that holds the chart's own directory. */
  readonly chartHome: string;
  /** The content of the values file; empty for `pull`. */
  readonly values: string;
}

/** What a chart was rendered to. */
export interface HelmOutput {
  /** As `helm template` prints it. */
  readonly text: string;
  /** Which line of which template each of its lines came from, from the chart's own directory on. */
  readonly places?: readonly ({ readonly file: string; readonly line: number } | undefined)[];
}

/** A program that a configuration names: a KRM function, or a plugin of the older kind. */
export interface ProgramRequest {
  readonly path: string;
  readonly args: readonly string[];
  /** Where it runs: the directory of the kustomization. */
  readonly directory: string;
  readonly input: string;
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Given in a file, whose name is the first argument. */
  readonly configuration?: string;
}

/** What a program that a build needed has printed, and how it ended. */
export interface ProgramOutcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Which programs a build may start; none, unless somebody says so. */
export interface ProgramRights {
  /** Whether KRM functions run that name an executable. */
  readonly functions: boolean;
  /** The directory of plugins of the older kind; undefined where there is none. */
  readonly pluginHome: string | undefined;
}

/** What plugins need of the build that they run in. */
export interface PluginContext {
  readonly loader: Loader;
  readonly schemas: SchemaSet;
  /** Renders a chart to YAML; undefined when Helm is not enabled. */
  readonly helm: ((request: HelmRequest) => HelmOutput) | undefined;
  /** Runs a program; undefined when external plugins are not enabled. */
  readonly programs:
    | (ProgramRights & { readonly run: (request: ProgramRequest) => ProgramOutcome })
    | undefined;
  warn(message: string): void;
}

/** Makes resources. */
export interface Generator {
  readonly kind: string;
  generate(): Resource[];
}
