import type { Chart } from '../chart/chart.ts';
import type { ChartFile } from '../chart/chart-file.ts';
import type { ChartMetadata } from '../chart/metadata.ts';
import { metadataMap } from '../chart/print-metadata.ts';
import type { HelmMajor } from '../engine/values-type.ts';
import type { GoMap } from '../go/value.ts';
import type { Hook } from '../render/manifests.ts';
import { plainJson } from './release-objects.ts';
import {
  type ApplyMethod,
  goTime,
  type ReleaseInfo,
  type StoredChart,
  type StoredFile,
  type StoredHook,
  type StoredRelease,
} from './stored-release.ts';

/** All that a release is made of. */
export interface ReleaseParts {
  readonly helm: HelmMajor;
  readonly name: string;
  readonly namespace: string;
  readonly version: number;
  readonly info: ReleaseInfo;
  readonly chart: Chart;
  /** The chart's own values, with what it imports. */
  readonly chartValues: GoMap | undefined;
  /** What it says of itself, with the dependencies that were chosen. */
  readonly metadata: ChartMetadata;
  /** The values that the user gave. */
  readonly config: GoMap;
  readonly manifest: string;
  readonly hooks: readonly Hook[];
  readonly applyMethod: ApplyMethod;
  /** The chart's own, where files say none. */
  readonly modifiedAt: Date;
}

/** A release as Helm 3 or 4 would store it, field by field in its order. */
export function newRelease(parts: ReleaseParts): StoredRelease {
  const { helm, name, info, config, manifest, hooks, version, namespace } = parts;
  return {
    name,
    info: orderedInfo(info, helm),
    chart: storedChart(parts),
    ...(config.size === 0 ? {} : { config: plainJson(config) as Record<string, unknown> }),
    manifest,
    ...(hooks.length === 0 ? {} : { hooks: hooks.map((hook) => storedHook(hook, helm)) }),
    version,
    namespace,
    ...(helm === 4 ? { apply_method: parts.applyMethod } : {}),
  };
}

/** The fields in Go's order, so that what is written again is the same. */
export function orderedInfo(info: ReleaseInfo, helm: HelmMajor): ReleaseInfo {
  const { first_deployed, last_deployed, deleted, description, status, rollback_revision, notes } =
    info;
  return {
    ...(first_deployed && { first_deployed }),
    ...(last_deployed && { last_deployed }),
    ...(helm === 3 ? { deleted: deleted ?? '' } : deleted && { deleted }),
    ...(description && { description }),
    status,
    ...(rollback_revision && helm === 4 && { rollback_revision }),
    ...(notes && { notes }),
  };
}

function storedChart(parts: ReleaseParts): StoredChart {
  const { helm, chart, chartValues, metadata, modifiedAt } = parts;
  const isFour = helm === 4;
  const files = (list: readonly ChartFile[]): StoredFile[] | null =>
    list.length === 0 ? null : list.map((file) => storedFile(file, helm));
  return {
    metadata: orderedMetadata(metadata),
    lock: chart.lock ?? null,
    templates: files(chart.templates),
    values: chartValues === undefined ? null : (plainJson(chartValues) as Record<string, unknown>),
    schema: chart.schema === undefined ? null : Buffer.from(chart.schema).toString('base64'),
    ...(isFour ? { schemamodtime: '0001-01-01T00:00:00Z' } : {}),
    files: files(chart.files),
    ...(isFour ? { modtime: goTime(modifiedAt) } : {}),
  };
}

function storedFile({ name, data, modifiedAtMs }: ChartFile, helm: HelmMajor): StoredFile {
  return {
    name,
    data: Buffer.from(data).toString('base64'),
    ...(helm === 4 ? { modtime: goTime(new Date(modifiedAtMs ?? 0)) } : {}),
  };
}

function storedHook(hook: Hook, helm: HelmMajor): StoredHook {
  return {
    name: hook.name,
    kind: hook.kind,
    path: hook.path,
    manifest: hook.content,
    events: [...hook.events],
    last_run: helm === 3 ? { started_at: '', completed_at: '', phase: '' } : { phase: '' },
    ...(hook.weight === 0 ? {} : { weight: hook.weight }),
    ...(hook.deletePolicies.length === 0 ? {} : { delete_policies: [...hook.deletePolicies] }),
    ...(hook.outputLogPolicies.length === 0
      ? {}
      : { output_log_policies: [...hook.outputLogPolicies] }),
  };
}

const metadataOrder = [
  'name',
  'home',
  'sources',
  'version',
  'description',
  'keywords',
  'maintainers',
  'icon',
  'apiVersion',
  'condition',
  'tags',
  'appVersion',
  'deprecated',
  'annotations',
  'kubeVersion',
  'dependencies',
  'type',
];

const dependencyOrder = [
  'name',
  'version',
  'repository',
  'condition',
  'tags',
  'enabled',
  'import-values',
  'alias',
];

const maintainerOrder = ['name', 'email', 'url'];

function orderedMetadata(metadata: ChartMetadata): ChartMetadata {
  const { dependencies, maintainers, ...rest } = plainJson(metadataMap(metadata)) as Record<
    string,
    unknown
  >;
  const all = (list: unknown, order: readonly string[]) =>
    (list as Record<string, unknown>[]).map((each) => ordered(each, order));
  const made = {
    ...rest,
    ...(dependencies !== undefined && { dependencies: all(dependencies, dependencyOrder) }),
    ...(maintainers !== undefined && { maintainers: all(maintainers, maintainerOrder) }),
  };
  return ordered(made, metadataOrder) as unknown as ChartMetadata;
}

function ordered(
  fields: Readonly<Record<string, unknown>>,
  order: readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(order.filter((key) => key in fields).map((key) => [key, fields[key]]));
}
