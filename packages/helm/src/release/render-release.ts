import type { Chart } from '../chart/chart.ts';
import type { ChartMetadata } from '../chart/metadata.ts';
import { GoMap } from '../go/value.ts';
import { HelmError } from '../helm-error.ts';
import { SchemaNeeded } from '../json-schema/compiler.ts';
import { KeyRing } from '../render/key-ring.ts';
import { parseKubeVersion } from '../render/kube-version.ts';
import { type PreparedChart, prepareChart } from '../render/prepare.ts';
import {
  type RenderChartOptions,
  type RenderedChart,
  type RenderedFiles,
  renderFilesAside,
  sortRendered,
} from '../render/render-chart.ts';
import type { Release } from '../render/template-files.ts';
import { goValueFromJson } from '../values/read-values.ts';
import type { ReleaseCluster } from './release-cluster.ts';
import type { ReleaseContext } from './release-context.ts';

/** Changes rendered files before they are taken apart; each has its path and its text. */
export type FilePostRenderer = (
  files: ReadonlyMap<string, string>,
) => Promise<ReadonlyMap<string, string>>;

/** What an action says about rendering. */
export interface ReleaseRenderOptions {
  readonly skipSchemaValidation?: boolean | undefined;
  readonly rendersSubchartNotes?: boolean | undefined;
  readonly postRender?: FilePostRenderer | undefined;
  /** In place of the cluster's own. */
  readonly capabilities?: Awaited<ReturnType<ReleaseCluster['capabilities']>> | undefined;
}

/** A chart that was rendered for a cluster. */
export interface RenderedRelease extends RenderedChart {
  /** The chart's own values, with what it imports. */
  readonly chartValues: GoMap | undefined;
  /** What the chart says of itself, with the dependencies that were chosen, by their aliases. */
  readonly metadata: ChartMetadata;
}

/** More objects than any chart asks for; each costs a request and another rendering at most. */
const maxLookups = 200;

/**
 * Renders a chart with what the cluster can do and has. Templates cannot wait: what `lookup` asks for is
 * fetched after a rendering, and the chart is rendered again until it asks for nothing new.
 *
 * @throws HelmError
 */
export async function renderRelease(
  chart: Chart,
  values: GoMap,
  release: Release,
  context: ReleaseContext,
  options: ReleaseRenderOptions,
): Promise<RenderedRelease> {
  const { helm, now, random, timeZone, limits, onFile, log = () => {} } = context;
  const prepared = await prepare(chart, values, context, options);
  const { version, apiVersions } = options.capabilities ?? (await context.cluster.capabilities());
  const found = new Map<string, GoMap>();
  const wanted = new Map<string, readonly [string, string, string, string]>();
  const settings: RenderChartOptions = {
    helm,
    release,
    log,
    now: now(),
    random,
    timeZone,
    limits,
    onFile,
    kubeVersion: parseKubeVersion(version, helm),
    apiVersions,
    rendersSubchartNotes: options.rendersSubchartNotes,
    lookup: (...query) => {
      const key = query.join('\n');
      const answer = found.get(key);
      if (answer === undefined) wanted.set(key, query);
      return answer ?? new GoMap();
    },
  };
  const keys = new KeyRing();
  for (;;) {
    let outcome: RenderedFiles | HelmError;
    try {
      outcome = await renderFilesAside(prepared, settings, keys, () => wanted.size === 0);
    } catch (error) {
      // What a template made of an answer that was not there yet says nothing.
      if (!(error instanceof HelmError)) throw error;
      outcome = error;
    }
    if (wanted.size > 0 && found.size + wanted.size <= maxLookups) {
      for (const [key, query] of wanted) found.set(key, await lookUp(context, query));
      wanted.clear();
      continue;
    }
    if (wanted.size > 0) {
      throw new HelmError('WG_HELM_LIMIT', `the chart looks up more than ${maxLookups} objects`);
    }
    if (outcome instanceof HelmError) throw outcome;
    const files = (await options.postRender?.(outcome.files)) ?? outcome.files;
    const rendered = sortRendered(prepared, files, outcome.notes, settings);
    const { values: chartValues, metadata } = prepared.root;
    return { ...rendered, chartValues, metadata };
  }
}

async function prepare(
  chart: Chart,
  values: GoMap,
  { helm, log = () => {}, fetchSchema }: ReleaseContext,
  { skipSchemaValidation }: ReleaseRenderOptions,
): Promise<PreparedChart> {
  const schemas = new Map<string, string | Error>();
  for (;;) {
    try {
      return prepareChart(chart, values, { helm, log, skipSchemaValidation, schemas });
    } catch (error) {
      if (!(error instanceof SchemaNeeded) || schemas.has(error.url)) throw error;
      const { url } = error;
      const fetched = (await fetchSchema?.(url)) ?? new Error(`${url} is not fetched from here`);
      schemas.set(url, fetched);
    }
  }
}

async function lookUp(
  { cluster }: ReleaseContext,
  [apiVersion, kind, namespace, name]: readonly [string, string, string, string],
): Promise<GoMap> {
  const object =
    name === ''
      ? await cluster.list(apiVersion, kind, namespace)
      : await cluster.get({
          apiVersion,
          kind,
          metadata: { name, ...(namespace && { namespace }) },
        });
  const value = object === undefined ? undefined : goValueFromJson(JSON.stringify(object));
  return value instanceof GoMap ? value : new GoMap();
}
