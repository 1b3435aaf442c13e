import type { GoMap } from '../go/value.ts';
import type { ChartFile } from './chart-file.ts';
import type { ChartLock, ChartMetadata } from './metadata.ts';

/**
 * A chart as it was loaded. Rendering works on a copy: one chart may be rendered any number of times.
 */
export interface Chart {
  metadata: ChartMetadata;
  lock?: ChartLock | undefined;
  /** What `values.yaml` says; undefined without one. */
  values?: GoMap | undefined;
  /** The bytes of `values.schema.json`. */
  schema?: Uint8Array | undefined;
  templates: readonly ChartFile[];
  /** Everything that has no meaning to Helm: `.Files` of templates. CRDs are among them. */
  files: readonly ChartFile[];
  /** All files as they came, subcharts' too. */
  raw: readonly ChartFile[];
  /** The charts in `charts/`. */
  dependencies: Chart[];
}

/** A file of `crds/` with the name that manifests print. */
export interface ChartCrd {
  /** `parent/charts/kid/crds/x.yaml`. */
  readonly filename: string;
  readonly file: ChartFile;
}

/** The path of a chart inside the one that is rendered: `parent/charts/kid`. */
function childPath(parentPath: string, chart: Chart): string {
  return `${parentPath}/charts/${chart.metadata.name}`;
}

/**
 * The CRDs of a chart and its subcharts: parents first, by the order of their files.
 *
 * ```ts
 * declare const chart: Chart;
 * crdsOf(chart).map(({ filename }) => filename); // ['web/crds/bell.yaml']
 * ```
 */
export function crdsOf(chart: Chart, path: string = chart.metadata.name): ChartCrd[] {
  const own = chart.files
    .filter(({ name }) => name.startsWith('crds/') && hasManifestExtension(name))
    .map((file) => ({ filename: `${path}/${file.name}`, file }));
  return own.concat(chart.dependencies.flatMap((child) => crdsOf(child, childPath(path, child))));
}

function hasManifestExtension(name: string): boolean {
  return /\.(yaml|yml|json)$/i.test(name);
}
