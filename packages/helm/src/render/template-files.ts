import type { ChartMetadata } from '../chart/metadata.ts';
import { capabilitiesObject } from '../engine/capabilities.ts';
import { chartObject } from '../engine/chart-object.ts';
import { defaultCapabilities } from '../engine/default-capabilities.ts';
import { filesObject } from '../engine/files.ts';
import type { TemplateFile } from '../engine/render-templates.ts';
import type { HelmMajor } from '../engine/values-type.ts';
import { valuesType } from '../engine/values-type.ts';
import { decodeBytes } from '../go/bytes.ts';
import { GoMap, type GoValue, goInt } from '../go/value.ts';
import type { ChartNode } from './chart-node.ts';
import type { KubeVersion } from './kube-version.ts';

/** What `.Release` says. */
export interface Release {
  readonly name: string;
  readonly namespace: string;
  /** Default 1. */
  readonly revision?: number | undefined;
  readonly isUpgrade?: boolean | undefined;
  /** Default: what `isUpgrade` is not. */
  readonly isInstall?: boolean | undefined;
}

interface TemplateFilesOptions {
  readonly helm: HelmMajor;
  readonly release: Release;
  readonly kubeVersion: KubeVersion;
  readonly apiVersions?: readonly string[] | undefined;
}

/** The templates of a chart and its subcharts, each with what it sees as `.`. */
export function templateFiles(
  root: ChartNode,
  values: GoMap,
  options: TemplateFilesOptions,
): TemplateFile[] {
  const { helm, kubeVersion, apiVersions = [] } = options;
  const usual = defaultCapabilities(helm);
  const shared: [string, GoValue][] = [
    ['Release', releaseMap(options.release)],
    [
      'Capabilities',
      capabilitiesObject(
        {
          ...usual,
          kubeVersion: kubeVersion.version,
          normalizedKubeVersion: kubeVersion.plain,
          apiVersions: [...usual.apiVersions, ...apiVersions],
        },
        helm,
      ),
    ],
  ];
  // Of two charts at one path, as Helm 3's aliases can have it, the last one's file counts.
  const files = new Map<string, TemplateFile>();
  scopeOf(root, values.as(valuesType(helm)), shared, helm, files);
  return [...files.values()];
}

function scopeOf(
  chart: ChartNode,
  values: GoMap,
  shared: readonly [string, GoValue][],
  helm: HelmMajor,
  files: Map<string, TemplateFile>,
): GoMap {
  const subcharts = new GoMap();
  const scope = new GoMap([
    ['Chart', chartObject(shownMetadata(chart.metadata), chart.parent === undefined, helm)],
    ['Files', filesObject(new Map(chart.chart.files.map(({ name, data }) => [name, data])))],
    ...shared,
    ['Values', values],
    ['Subcharts', subcharts],
  ]);
  const type = valuesType(helm);
  for (const child of chart.dependencies) {
    const section = values.get(child.name);
    const own = section instanceof GoMap ? section.as(type) : new GoMap([], type);
    subcharts.set(child.name, scopeOf(child, own, shared, helm, files));
  }
  const { path } = chart;
  const isLibrary = chart.metadata.type?.toLowerCase() === 'library';
  for (const { name, data } of chart.chart.templates) {
    if (isLibrary && !name.slice(name.lastIndexOf('/') + 1).startsWith('_')) continue;
    files.set(`${path}/${name}`, {
      path: `${path}/${name}`,
      text: decodeBytes(data),
      data: scope,
      basePath: `${path}/templates`,
    });
  }
  return scope;
}

function releaseMap(release: Release): GoMap {
  const { name, namespace, revision = 1, isUpgrade = false, isInstall = !isUpgrade } = release;
  return new GoMap([
    ['Name', name],
    ['Namespace', namespace],
    ['IsUpgrade', isUpgrade],
    ['IsInstall', isInstall],
    ['Revision', goInt(revision)],
    ['Service', 'Helm'],
  ]);
}

function shownMetadata({
  dependencies,
  ...rest
}: ChartMetadata): Parameters<typeof chartObject>[0] {
  if (dependencies === undefined) return rest;
  return {
    ...rest,
    dependencies: dependencies.map(({ 'import-values': imported, ...each }) => ({
      ...each,
      ...(imported && { importValues: imported }),
    })),
  };
}
