import type { Chart, ChartCrd } from '../chart/chart.ts';
import { textOf } from '../chart/chart-file.ts';
import type { RenderedFile } from '../engine/line-origins.ts';
import { renderWithin } from '../engine/render-templates.ts';
import type { HelmMajor } from '../engine/values-type.ts';
import type { FunctionOptions } from '../functions/function-options.ts';
import { Budget, defaultLimits, type EngineLimits } from '../go/budget.ts';
import { GoMap } from '../go/value.ts';
import { HelmError } from '../helm-error.ts';
import type { SchemaDocuments } from '../json-schema/values-schema.ts';
import type { Log } from '../log-entry.ts';
import { isInRange } from '../version/version.ts';
import type { ChartNode } from './chart-node.ts';
import { freshValues } from './fresh-values.ts';
import { KeyRing } from './key-ring.ts';
import { defaultKubeVersion, type KubeVersion } from './kube-version.ts';
import { type Hook, type Manifest, sortManifests } from './manifests.ts';
import { type PreparedChart, prepareChart } from './prepare.ts';
import { type Release, templateFiles } from './template-files.ts';

/** How a chart is rendered. Time, randomness and the time zone are the caller's. */
export interface RenderChartOptions
  extends Pick<
    FunctionOptions,
    'now' | 'random' | 'timeZone' | 'lookup' | 'resolveHost' | 'makeKey'
  > {
  /** Whose rules count. Default 4. */
  readonly helm?: HelmMajor | undefined;
  readonly release: Release;
  /** Default: what Helm takes when it asks no cluster. */
  readonly kubeVersion?: KubeVersion | undefined;
  /** API versions besides those that every cluster has. */
  readonly apiVersions?: readonly string[] | undefined;
  readonly skipSchemaValidation?: boolean | undefined;
  /** Notes of subcharts are notes too. */
  readonly rendersSubchartNotes?: boolean | undefined;
  /** Documents that schemas refer to over the network. */
  readonly schemas?: SchemaDocuments | undefined;
  readonly limits?: Partial<EngineLimits> | undefined;
  /** Told each file that was made, with the lines of the templates that its lines came from. */
  readonly onFile?: ((file: RenderedFile) => void) | undefined;
  /** Only this file is rendered; the others are there for what they define. */
  readonly only?: string | undefined;
  /** Told of what Helm warns of. */
  readonly log?: Log | undefined;
}

/** What a chart renders to. */
export interface RenderedChart {
  /** In the order in which they are installed. */
  readonly manifests: readonly Manifest[];
  readonly hooks: readonly Hook[];
  readonly notes: string;
  /** As the files in `crds/` have them; they are no templates. */
  readonly crds: readonly ChartCrd[];
}

/** Rendered files that are no manifests. They are kept, so that one can see what is wrong. */
export class ManifestError extends HelmError {
  readonly files: ReadonlyMap<string, string>;

  constructor(cause: HelmError, files: ReadonlyMap<string, string>) {
    super(cause.code, cause.message, { cause });
    this.files = files;
  }
}

/**
 * Renders a chart with values over its own.
 *
 * ```ts
 * declare const chart: Chart;
 * const { manifests, hooks } = renderChart(chart, readValuesFile('replicas: 3', 4), {
 *   release: { name: 'web', namespace: 'default' },
 *   now: new Date(),
 *   random: (count) => crypto.getRandomValues(new Uint8Array(count)),
 *   timeZone: 'UTC',
 * });
 * ```
 *
 * @throws HelmError with Helm's words
 * @throws SchemaNeeded when a schema refers to a document that was not given
 */
export function renderChart(
  chart: Chart,
  values: GoMap = new GoMap(),
  options: RenderChartOptions,
): RenderedChart {
  const { helm = 4, log = () => {} } = options;
  return renderPrepared(prepareChart(chart, values, { ...options, helm, log }), options);
}

/** The second half of `renderChart`: the templates. */
function renderPrepared(prepared: PreparedChart, options: RenderChartOptions): RenderedChart {
  const { files, notes } = renderFiles(prepared, options);
  return sortRendered(prepared, files, notes, options);
}

/** The files that templates made, by their paths, and the notes, which are none of them. */
export interface RenderedFiles {
  readonly files: ReadonlyMap<string, string>;
  readonly notes: string;
}

/** The files that the templates of a chart make. */
export function renderFiles(prepared: PreparedChart, options: RenderChartOptions): RenderedFiles {
  const keys = new KeyRing(options.makeKey);
  const rounds = new Rounds(prepared, options, keys);
  for (;;) {
    const rendered = rounds.next();
    if (rendered !== undefined) return rendered;
    keys.add();
  }
}

/**
 * The same, with keys that take long made by other threads: whoever else is served by this one does not wait. What is
 * rendered while something else is missing is thrown away, and so gets no keys.
 */
export async function renderFilesAside(
  prepared: PreparedChart,
  options: RenderChartOptions,
  keys: KeyRing = new KeyRing(options.makeKey),
  isComplete: () => boolean = () => true,
): Promise<RenderedFiles> {
  const rounds = new Rounds(prepared, options, keys);
  for (;;) {
    const rendered = rounds.next();
    if (rendered !== undefined) return rendered;
    if (!isComplete()) return { files: new Map(), notes: '' };
    await keys.addAside();
  }
}

/** One that has keys, one with them, and some for charts that go on otherwise when they have one. */
const maxRounds = 4;

/** The renderings of a chart, until it has all its keys: within one budget, so that no chart takes longer for it. */
class Rounds {
  readonly #prepared: PreparedChart;
  readonly #options: RenderChartOptions;
  readonly #keys: KeyRing;
  readonly #budget: Budget;
  #count = 0;

  constructor(prepared: PreparedChart, options: RenderChartOptions, keys: KeyRing) {
    this.#prepared = prepared;
    this.#options = options;
    this.#keys = keys;
    this.#budget = new Budget({ ...defaultLimits, ...options.limits });
  }

  /** What was rendered; undefined where keys are missing that are to be made first. */
  next(): RenderedFiles | undefined {
    if (this.#count++ === maxRounds) {
      const what = 'the templates ask for other keys each time that they are rendered';
      throw new HelmError('WG_HELM_LIMIT', what);
    }
    this.#keys.begin();
    try {
      const rendered = this.#render();
      if (!this.#keys.isRehearsal) return rendered;
    } catch (error) {
      const isFailure = error instanceof HelmError && error.code !== 'WG_HELM_LIMIT';
      // What is wrong may be that the key is of another kind: the next rendering tells.
      if (!isFailure || !this.#keys.isRehearsal) throw error;
    }
    this.#budget.beginAgain(this.#keys.steps);
    return undefined;
  }

  #render(): RenderedFiles {
    const { root, values } = this.#prepared;
    const options = this.#options;
    const { helm = 4, kubeVersion = defaultKubeVersion(helm) } = options;
    checkKubeVersion(root, kubeVersion);
    const { now, random, timeZone, lookup, resolveHost, onFile, only } = options;
    const made: RenderedFile[] = [];
    const sources = templateFiles(root, freshValues(values), { ...options, helm, kubeVersion });
    const files = renderWithin(this.#budget, sources, {
      helm,
      now,
      random,
      timeZone,
      makeKey: this.#keys.take,
      ...(lookup && { lookup }),
      ...(resolveHost && { resolveHost }),
      onFile: onFile && ((file) => made.push(file)),
      only,
    });
    if (!this.#keys.isRehearsal) for (const file of made) onFile?.(file);
    return { files, notes: takeNotes(files, `${root.name}/templates/NOTES.txt`, options) };
  }
}

function checkKubeVersion(root: ChartNode, kubeVersion: KubeVersion): void {
  const wanted = root.metadata.kubeVersion;
  if (!wanted || isInRange(kubeVersion.plain, wanted)) return;
  throw new HelmError(
    'WG_HELM_CHART',
    `chart requires kubeVersion: ${wanted} which is incompatible with Kubernetes ${kubeVersion.version}`,
  );
}

/** Objects and hooks of rendered files, in the order in which they are created. */
export function sortRendered(
  { root }: PreparedChart,
  files: ReadonlyMap<string, string>,
  notes: string,
  { helm = 4, log = () => {} }: RenderChartOptions,
): RenderedChart {
  try {
    return { ...sortManifests(files, helm, log), notes, crds: root.crds() };
  } catch (error) {
    throw error instanceof HelmError ? new ManifestError(error, files) : error;
  }
}

/** Notes are rendered like manifests, but are none. */
function takeNotes(
  files: Map<string, string>,
  own: string,
  { rendersSubchartNotes }: RenderChartOptions,
): string {
  const notes: string[] = [];
  for (const path of [...files.keys()].sort()) {
    if (!path.endsWith('NOTES.txt')) continue;
    if (path === own || rendersSubchartNotes === true) notes.push(files.get(path)!);
    files.delete(path);
  }
  return notes.filter((text) => text !== '').join('\n');
}

/**
 * The manifests as one text, each with the file that it came from.
 *
 * ```ts
 * declare const rendered: RenderedChart;
 * printManifests(rendered, { includeCrds: true }); // '---\n# Source: web/templates/…'
 * ```
 */
export function printManifests(
  { manifests, crds }: RenderedChart,
  options: { readonly includeCrds?: boolean; readonly hidesSecrets?: boolean } = {},
): string {
  let text = '';
  if (options.includeCrds === true) {
    for (const { filename, file } of crds) text += withSource(filename, textOf(file));
  }
  for (const { path, content, kind, apiVersion } of manifests) {
    const isHidden = options.hidesSecrets === true && kind === 'Secret' && apiVersion === 'v1';
    text += isHidden
      ? `---\n# Source: ${path}\n# HIDDEN: The Secret output has been suppressed\n`
      : withSource(path, content);
  }
  return text;
}

/** A document under the name of its file. */
export function withSource(path: string, content: string): string {
  return `---\n# Source: ${path}\n${content}\n`;
}
