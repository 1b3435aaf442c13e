import type { HelmChart, HelmGlobals } from '../config/kustomization.ts';
import type { Loader } from '../loader.ts';
import type { Resource } from '../resource.ts';
import type { SchemaSet } from '../schema-facts.ts';

/** A chart to be rendered by a Helm that is not part of a build. */
export interface HelmRequest {
  readonly chart: HelmChart;
  readonly globals: HelmGlobals;
  /** The directory of the kustomization, as the file system describes it. */
  readonly directory: string;
}

/** What plugins need of the build that they run in. */
export interface PluginContext {
  readonly loader: Loader;
  readonly schemas: SchemaSet;
  /** Renders a chart to YAML; undefined when Helm is not enabled. */
  readonly helm: ((request: HelmRequest) => string) | undefined;
}

/** Makes resources. */
export interface Generator {
  readonly kind: string;
  generate(): Resource[];
}
