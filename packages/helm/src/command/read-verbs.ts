import { isObject } from '@waygate/text';
import type { GoMap } from '../go/value.ts';
import { HelmError } from '../helm-error.ts';
import type { ReleaseContext } from '../release/release-context.ts';
import { buildObjects, plainJson } from '../release/release-objects.ts';
import type { ReleaseRecord } from '../release/release-storage.ts';
import type { StoredRelease } from '../release/stored-release.ts';
import { ChartNode } from '../render/chart-node.ts';
import { Coalescer } from '../render/coalesce.ts';
import { withSource } from '../render/render-chart.ts';
import { goValueFromJson } from '../values/read-values.ts';
import type { ParsedFlags } from './flag-set.ts';
import { logTo } from './load-from.ts';
import { printAs, printData, printEverything, printRelease } from './print-release.ts';
import { failingAs, releaseContext } from './release-world.ts';
import { ansiTime } from './stored-time.ts';
import { printTable } from './table.ts';
import type { CommandWorld } from './world.ts';

async function recordOf(flags: ParsedFlags, world: CommandWorld): Promise<ReleaseRecord> {
  const { storage } = releaseContext(flags, world);
  const [name = ''] = flags.args;
  const revision = Number(flags.text('revision') || 0);
  const record = await failingAs('', () =>
    revision === 0 ? storage.last(name) : storage.get(name, revision),
  );
  if (record === undefined) throw new HelmError('WG_HELM_RELEASE', 'release: not found');
  return record;
}

/** `helm history NAME`. */
export async function history(flags: ParsedFlags, world: CommandWorld): Promise<void> {
  const { storage } = releaseContext(flags, world);
  const [name = ''] = flags.args;
  const records = await failingAs('', () => storage.history(name));
  if (records.length === 0) throw new HelmError('WG_HELM_RELEASE', 'release: not found');
  const rows = records.slice(-Number(flags.text('max') || 256)).map(({ release }) => ({
    revision: release.version,
    updated: release.info.last_deployed ?? '',
    status: release.info.status,
    chart: chartOf(release),
    app_version: release.chart.metadata.appVersion ?? '',
    ...(release.info.rollback_revision && world.helm === 4
      ? { rollback_revision: release.info.rollback_revision }
      : {}),
    description: release.info.description ?? '',
  }));
  const showsRollback = flags.bool('show-rollback-revision');
  const titles = ['REVISION', 'UPDATED', 'STATUS', 'CHART', 'APP VERSION', 'DESCRIPTION'];
  printAs(flags, world, rows, () =>
    printTable(
      [
        showsRollback ? titles.toSpliced(-1, 0, 'ROLLBACK') : titles,
        ...rows.map((row) => [
          String(row.revision),
          ansiTime(row.updated, world),
          row.status,
          row.chart,
          row.app_version,
          ...(showsRollback ? [String(row.rollback_revision ?? '')] : []),
          row.description,
        ]),
      ],
      Number.POSITIVE_INFINITY,
    ),
  );
}

function chartOf({ chart: { metadata } }: StoredRelease): string {
  return `${metadata.name}-${metadata.version}`;
}

/** `helm status NAME`. */
export async function status(flags: ParsedFlags, world: CommandWorld): Promise<void> {
  const { release } = await recordOf(flags, world);
  const { chart: _, config, ...rest } = release;
  const data = { ...rest, ...(config && { config }) };
  if (world.helm === 4) {
    const context = releaseContext(flags, world);
    const resources = await failingAs('', () => liveResources(release, context));
    data.info = { ...data.info, resources } as StoredRelease['info'];
  }
  const showsDescription = flags.bool('show-desc');
  printAs(flags, world, data, () => printRelease(release, world, { showsDescription }));
}

/** The objects of a release as they are, by version and kind, and the Pods that they choose. */
async function liveResources(
  { manifest, namespace }: StoredRelease,
  context: ReleaseContext,
): Promise<Record<string, unknown[]>> {
  const resources: Record<string, unknown[]> = {};
  const add = (key: string, value: unknown) => {
    resources[key] = [...(resources[key] ?? []), ...(value === undefined ? [] : [value])];
  };
  for (const object of await buildObjects(manifest, context)) {
    const live = await context.cluster.get(object);
    add(`${object.apiVersion?.split('/').at(-1)}/${object.kind}`, live);
    const labels = isObject(live?.spec) && isObject(live.spec.selector) && live.spec.selector;
    if (labels === false || !isObject(labels.matchLabels)) continue;
    const selector = Object.entries(labels.matchLabels)
      .map(([key, value]) => `${key}=${String(value)}`)
      .join(',');
    add('v1/Pod(related)', await context.cluster.list('v1', 'Pod', namespace, selector));
  }
  return resources;
}

/** `helm get all|values|manifest|hooks|notes|metadata NAME`. */
export async function get(
  part: 'all' | 'values' | 'manifest' | 'hooks' | 'notes' | 'metadata',
  flags: ParsedFlags,
  world: CommandWorld,
): Promise<void> {
  const record = await recordOf(flags, world);
  const { release } = record;
  switch (part) {
    case 'all':
      world.writeOut(printEverything(release, allValues(release, world), world));
      return;
    case 'values':
      return getValues(release, flags, world);
    case 'manifest':
      world.writeOut(`${release.manifest}\n`);
      return;
    case 'hooks':
      for (const { path, manifest } of release.hooks ?? []) {
        world.writeOut(withSource(path, manifest));
      }
      return;
    case 'notes':
      if (release.info.notes) world.writeOut(`NOTES:\n${release.info.notes}\n`);
      return;
    case 'metadata':
      return getMetadata(record, flags, world);
  }
}

function getValues(release: StoredRelease, flags: ParsedFlags, world: CommandWorld): void {
  const isAll = flags.bool('all');
  const data = isAll ? allValues(release, world) : release.config;
  const title = isAll ? 'COMPUTED VALUES' : 'USER-SUPPLIED VALUES';
  if (!flags.has('output')) world.writeOut(`${title}:\n`);
  printData(flags.text('output') === 'json' ? 'json' : 'yaml', world, data);
}

function allValues({ chart, config }: StoredRelease, world: CommandWorld): unknown {
  const mapOf = (value: object | null | undefined): GoMap =>
    goValueFromJson(JSON.stringify(value ?? {})) as GoMap;
  const empty = { templates: [], files: [], raw: [], dependencies: [] };
  const node = ChartNode.of({ ...empty, metadata: chart.metadata, values: mapOf(chart.values) });
  return plainJson(new Coalescer(world.helm, logTo(world)).values(node, mapOf(config), 'coalesce'));
}

function getMetadata(
  { release, labels }: ReleaseRecord,
  flags: ParsedFlags,
  world: CommandWorld,
): void {
  const { metadata } = release.chart;
  const data = {
    name: release.name,
    chart: metadata.name,
    version: metadata.version,
    appVersion: metadata.appVersion ?? '',
    ...(metadata.annotations && { annotations: metadata.annotations }),
    ...(world.helm === 4 && Object.keys(labels).length > 0 && { labels: sorted(labels) }),
    ...(metadata.dependencies && { dependencies: metadata.dependencies }),
    namespace: release.namespace,
    revision: release.version,
    status: release.info.status,
    deployedAt: (release.info.last_deployed ?? '').replace(/\.\d+/, ''),
    ...(world.helm === 4 && release.apply_method && { applyMethod: release.apply_method }),
  };
  const { annotations = {}, dependencies = [] } = metadata;
  const dependencyNames = dependencies.map(({ name }) => name).sort();
  const lines: [title: string, value: string | number, isNew?: boolean][] = [
    ['NAME', data.name],
    ['CHART', data.chart],
    ['VERSION', data.version],
    ['APP_VERSION', data.appVersion],
    ['ANNOTATIONS', pairsOf(annotations)],
    ['LABELS', pairsOf(labels), true],
    ['DEPENDENCIES', dependencyNames.join()],
    ['NAMESPACE', data.namespace],
    ['REVISION', data.revision],
    ['STATUS', data.status],
    ['DEPLOYED_AT', data.deployedAt],
    ['APPLY_METHOD', methodOf(release), true],
  ];
  printAs(flags, world, data, () =>
    lines
      .filter(([, , isNew]) => isNew !== true || world.helm === 4)
      .map(([title, value]) => `${title}: ${value}\n`)
      .join(''),
  );
}

function pairsOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries(sorted(labels))
    .map(([key, value]) => `${key}=${value}`)
    .join();
}

/** In words; a release that says nothing of it was made by Helm 3. */
function methodOf({ apply_method }: StoredRelease): string {
  if (apply_method === undefined) return 'client-side apply (defaulted)';
  return apply_method === 'csa' ? 'client-side apply' : 'server-side apply';
}

function sorted(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}
