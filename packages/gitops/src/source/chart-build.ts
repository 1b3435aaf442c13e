import {
  type Chart,
  type ChartFile,
  type CommandNetwork,
  loadArchive,
  loadChart,
  MemoryFiles,
  packChart,
  readChartDirectory,
  readValuesFile,
  runHelm,
} from '@waygate/helm';
import { isObject, parseYaml, printYaml } from '@waygate/text';
import type { HelmChartSpec } from '../api/helm-objects.ts';
import { type FileTree, normalized } from '../artifact/file-tree.ts';
import { GitOpsError } from '../gitops-error.ts';

/** A chart that is ready to be offered. */
export interface BuiltChart {
  readonly name: string;
  readonly version: string;
  readonly bytes: Uint8Array;
  /** It was packed here, and did not come so. */
  readonly isPackaged: boolean;
  readonly valuesFiles: readonly string[];
}

/**
 * The chart at a path of a tree: a directory, or an archive.
 *
 * @throws GitOpsError when there is none; HelmError when it is none
 */
export async function chartOfTree(
  tree: FileTree,
  path: string,
  network: CommandNetwork,
): Promise<Chart> {
  const base = normalized(`/${path}`);
  const found = tree.resolve(base);
  if (found.kind === 'missing') {
    throw new GitOpsError('WG_GITOPS_NOT_FOUND', `no chart at path '${path}'`);
  }
  if (found.kind === 'file') return loadArchive(tree.read(base));
  const chart = loadChart(readChartDirectory(memoryFiles(tree, base), base, 4));
  const isMissing = (chart.metadata.dependencies ?? []).some(
    ({ name }) => !chart.dependencies.some((child) => child.metadata.name === name),
  );
  return isMissing ? withDependencies(tree, base, network) : chart;
}

function memoryFiles(tree: FileTree, directory: string): MemoryFiles {
  const files = new MemoryFiles();
  for (const path of tree.list(directory)) files.write(path, tree.read(path));
  return files;
}

/** What a chart of a repository lacks is fetched as `helm dependency build` does. */
async function withDependencies(
  tree: FileTree,
  base: string,
  network: CommandNetwork,
): Promise<Chart> {
  const files = memoryFiles(tree, '/');
  let said = '';
  const hasLock = tree.has(`${base}/Chart.lock`.replace('//', '/'));
  const code = await runHelm(['dependency', hasLock ? 'build' : 'update', base], {
    helm: 4,
    cwd: '/',
    env: {},
    files,
    network,
    now: () => new Date(0),
    random: (count) => new Uint8Array(count),
    timeZone: 'UTC',
    writeOut: () => {},
    writeError: (text) => {
      said += text;
    },
  });
  if (code !== 0) {
    throw new GitOpsError('WG_GITOPS_SOURCE', `failed to build dependencies: ${said.trim()}`);
  }
  return loadChart(readChartDirectory(files, base, 4));
}

/**
 * Packs a chart with the values files that its spec names in the place of its own values.
 *
 * @throws GitOpsError when a file is not there
 */
export function buildChart(
  chart: Chart,
  spec: HelmChartSpec,
  options: {
    /** Behind the version: what makes two charts of one version differ. */
    readonly versionMetadata: string;
    readonly original?: Uint8Array | undefined;
    /** Files beside the chart, by their path in the source. */
    readonly readBeside?: ((path: string) => Uint8Array | undefined) | undefined;
  },
): BuiltChart {
  const { name, version } = chart.metadata;
  const wanted = spec.valuesFiles ?? [];
  const merged = mergeValuesFiles(chart, spec, options.readBeside);
  const isChanged = merged.files.length > 0 || options.versionMetadata !== '';
  if (options.original !== undefined && !isChanged) {
    return { name, version, bytes: options.original, isPackaged: false, valuesFiles: [] };
  }
  const full =
    options.versionMetadata === '' ? version : withMetadata(version, options.versionMetadata);
  const raw = merged.files.length === 0 ? chart.raw : withValues(chart.raw, merged.text);
  const packed = packChart(
    { ...chart, raw, metadata: { ...chart.metadata, version: full } },
    { helm: 4, now: new Date(0), sourceDate: new Date(0) },
  );
  const valuesFiles = wanted.length === 0 ? [] : merged.files;
  return { name, version: full, bytes: packed, isPackaged: true, valuesFiles };
}

function mergeValuesFiles(
  chart: Chart,
  { valuesFiles = [], ignoreMissingValuesFiles }: HelmChartSpec,
  readBeside: ((path: string) => Uint8Array | undefined) | undefined,
): { files: string[]; text: string } {
  const files: string[] = [];
  let merged: Record<string, unknown> = {};
  // The chart's own values alone are no change.
  if (
    valuesFiles.length === 0 ||
    (valuesFiles.length === 1 && valuesFiles[0] === 'values.yaml' && readBeside === undefined)
  ) {
    return { files, text: '' };
  }
  for (const path of valuesFiles) {
    const data = readBeside?.(path) ?? chart.raw.find((file) => file.name === path)?.data;
    if (data === undefined) {
      if (ignoreMissingValuesFiles === true) continue;
      throw new GitOpsError(
        'WG_GITOPS_NOT_FOUND',
        `could not load values file: no values file found at path '${path}'`,
      );
    }
    const text = Buffer.from(data).toString('utf8');
    readValuesFile(text, 4);
    const value = parseYaml(text);
    if (isObject(value)) merged = mergeDeep(merged, value);
    files.push(path);
  }
  return { files, text: printYaml(merged) };
}

function mergeDeep(
  first: Record<string, unknown>,
  second: Record<string, unknown>,
): Record<string, unknown> {
  const merged = { ...first };
  for (const [key, value] of Object.entries(second)) {
    const before = merged[key];
    merged[key] = isObject(before) && isObject(value) ? mergeDeep(before, value) : value;
  }
  return merged;
}

function withValues(raw: readonly ChartFile[], text: string): ChartFile[] {
  const others = raw.filter(({ name }) => name !== 'values.yaml');
  return [...others, { name: 'values.yaml', data: Buffer.from(text) }];
}

/** `1.2.3+abc`; what a version has behind its `+` stays before it. */
function withMetadata(version: string, metadata: string): string {
  const [plain = version, old] = version.split('+');
  return `${plain}+${old === undefined ? metadata : `${old}.${metadata}`}`;
}
