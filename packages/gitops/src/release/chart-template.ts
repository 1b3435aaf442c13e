import { isNotFound, type KubeClient } from '@waygate/kube';
import type { SharedInformer } from '@waygate/runtime';
import { equalJson } from '@waygate/text';
import {
  type HelmChart,
  type HelmChartSpec,
  type HelmRelease,
  helmChartKind,
  helmReleaseGroup,
} from '../api/helm-objects.ts';

/** The HelmChart that a release's template asks for; undefined when it has none. */
export function chartOfTemplate({ spec, metadata }: HelmRelease): HelmChart | undefined {
  if (spec.chart === undefined) return undefined;
  const { spec: template, metadata: meta } = spec.chart;
  const { sourceRef } = template;
  const { namespace = '', name = '' } = metadata;
  const chartSpec: HelmChartSpec = {
    chart: template.chart,
    version: template.version ?? '*',
    sourceRef: { kind: sourceRef.kind ?? 'HelmRepository', name: sourceRef.name },
    interval: template.interval ?? spec.interval,
    reconcileStrategy: template.reconcileStrategy ?? 'ChartVersion',
    ...(template.valuesFiles && { valuesFiles: template.valuesFiles }),
    ...(template.ignoreMissingValuesFiles && { ignoreMissingValuesFiles: true }),
    ...(template.verify && { verify: template.verify }),
  };
  return {
    metadata: {
      name: `${namespace}-${name}`,
      namespace: sourceRef.namespace || namespace,
      labels: {
        ...meta?.labels,
        [`${helmReleaseGroup}/name`]: name,
        [`${helmReleaseGroup}/namespace`]: namespace,
      },
      ...(meta?.annotations && { annotations: meta.annotations }),
    },
    spec: chartSpec,
  };
}

/** Keeps the HelmCharts that releases ask for. One that is as it should be costs no request. */
export class ChartTemplates {
  readonly #client: KubeClient;
  readonly #charts: SharedInformer<HelmChart>;

  constructor(client: KubeClient, charts: SharedInformer<HelmChart>) {
    this.#client = client;
    this.#charts = charts;
  }

  /** Writes the chart, and gives back its generation: a cache may know an older one for a while. */
  async keep(wanted: HelmChart, signal: AbortSignal): Promise<number> {
    const { namespace, name } = wanted.metadata;
    const key = `${namespace}/${name}`;
    const known = this.#charts.indexer.getByKey(key);
    if (known !== undefined && isSame(known, wanted)) return known.metadata.generation ?? 0;
    const options = { fieldManager: 'helm-controller', force: true };
    const written = await this.#client.resource(helmChartKind).apply(wanted, options, { signal });
    return written.metadata.generation ?? 0;
  }

  async remove(key: string, signal: AbortSignal): Promise<void> {
    const [namespace = '', name = ''] = key.split('/');
    try {
      await this.#client.resource(helmChartKind).delete(name, { namespace }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

function isSame({ spec, metadata }: HelmChart, wanted: HelmChart): boolean {
  const { ignoreMissingValuesFiles: _, ...known } = spec;
  const { ignoreMissingValuesFiles: _other, ...asked } = wanted.spec;
  const isSameMark = (found: Record<string, string> = {}, marks: Record<string, string> = {}) =>
    Object.entries(marks).every(([key, value]) => found[key] === value);
  return (
    equalJson(known, asked) &&
    (spec.ignoreMissingValuesFiles ?? false) === (wanted.spec.ignoreMissingValuesFiles ?? false) &&
    isSameMark(metadata.labels, wanted.metadata.labels) &&
    isSameMark(metadata.annotations, wanted.metadata.annotations)
  );
}
