import type { Chart } from '../chart/chart.ts';
import { loadArchive } from '../chart/load-chart.ts';
import type { ChartMetadata } from '../chart/metadata.ts';
import type { GoMap } from '../go/value.ts';
import { HelmError } from '../helm-error.ts';
import { SchemaNeeded } from '../json-schema/compiler.ts';
import type { Log } from '../log-entry.ts';
import { type KubeVersion, parseKubeVersion } from '../render/kube-version.ts';
import type { Hook } from '../render/manifests.ts';
import { chooseDependencies, prepareValues } from '../render/prepare.ts';
import {
  ManifestError,
  printManifests,
  type RenderChartOptions,
  type RenderedChart,
  renderFilesAside,
  sortRendered,
  withSource,
} from '../render/render-chart.ts';
import { CommandError } from './command-error.ts';
import { tellOfSchemas } from './debug-schemas.ts';
import { debugTime } from './debug-time.ts';
import { missingDependencies, updateMissing } from './dependency-check.ts';
import type { ParsedFlags } from './flag-set.ts';
import { checkApiVersion, loadFrom, logTo } from './load-from.ts';
import { type LocatedChart, locateChart } from './locate-chart.ts';
import { namespaceOf } from './namespace.ts';
import { outputDirectory, writeTo } from './output-directory.ts';
import { type FoundPostRenderer, findPostRenderer } from './post-renderer.ts';
import { checkReleaseName, nameAndChart } from './release-name.ts';
import { asksServer, renderOnServer, type ServerRequest } from './server-render.ts';
import { readValueFlags } from './value-flags.ts';
import type { CommandWorld } from './world.ts';

/** A release that was made and not installed. */
export interface InstalledRelease {
  readonly name: string;
  readonly namespace: string;
  readonly chart: Chart;
  /** The values that the user gave. */
  readonly config: GoMap;
  /** The chart's own values, with what it imports. */
  readonly chartValues: GoMap | undefined;
  /** What the chart says of itself, with the dependencies that were chosen. */
  readonly metadata: ChartMetadata;
  readonly manifest: string;
  readonly hooks: readonly Hook[];
  readonly notes: string;
  /** Files of `--output-dir` that have something already. */
  readonly written: Set<string>;
}

/** The chart was loaded and its values were fine, but it could not be rendered. */
export class InstallFailure extends CommandError {
  /** What was rendered, to look for the mistake in. */
  readonly manifest: string;

  constructor(cause: Error, manifest?: string) {
    super(cause.message, { cause });
    if (manifest !== undefined) {
      this.manifest = manifest;
      return;
    }
    const files = cause instanceof ManifestError ? [...cause.files] : [];
    this.manifest = files
      .filter(([, content]) => content.trim() !== '')
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, content]) => withSource(path, content))
      .join('');
  }
}

/**
 * Does all that an install does before it talks to a cluster.
 *
 * @throws CommandError, HelmError; InstallFailure once templates are rendered
 */
export async function dryInstall(
  flags: ParsedFlags,
  world: CommandWorld,
  verb: 'template' | 'install',
): Promise<InstalledRelease> {
  const postRenderer = findPostRenderer(flags, world);
  const kubeVersion = readKubeVersion(flags, world, verb);
  checkDryRun(flags, world, verb === 'template');
  debug(
    world,
    flags,
    'Original chart version',
    225,
    `Original chart version: ${JSON.stringify(flags.text('version'))}`,
    { version: flags.text('version') },
  );
  const { name, chart: reference } = nameAndChart(flags, world, verb);
  const located = await locateChart(reference, flags, world);
  debug(world, flags, 'Chart path', 242, `CHART PATH: ${located.path}\n`, { path: located.path });
  const values = await readValueFlags(flags, world);
  let chart = loadLocated(located, world, true);
  checkInstallable(chart, world);
  const missing = missingDependencies(chart);
  if (missing !== undefined) {
    if (!flags.bool('dependency-update')) throw new CommandError(missingText(missing, world));
    await updateMissing(located.path, flags, world);
    chart = loadLocated(located, world, true);
  }
  checkApiVersion(chart, world);
  checkReleaseName(name, world);
  const namespace = namespaceOf(flags, world);
  const { root, rendered } = asksServer(flags)
    ? await onServer({ name, namespace, chart, values }, flags, world, postRenderer)
    : await onClient({ name, namespace, chart, values }, flags, world, postRenderer, kubeVersion);
  const written = new Set<string>();
  return {
    name,
    namespace,
    chart,
    config: values,
    chartValues: root.values,
    metadata: root.metadata,
    hooks: rendered.hooks,
    notes: rendered.notes,
    manifest: await finishManifest(rendered, name, flags, world, written, postRenderer),
    written,
  };
}

interface Rendering {
  readonly root: { readonly values: GoMap | undefined; readonly metadata: ChartMetadata };
  readonly rendered: RenderedChart;
}

async function onServer(
  request: ServerRequest,
  flags: ParsedFlags,
  world: CommandWorld,
  { files }: FoundPostRenderer,
): Promise<Rendering> {
  try {
    const rendered = await renderOnServer({ ...request, postRender: files }, flags, world);
    return { root: { values: rendered.chartValues, metadata: rendered.metadata }, rendered };
  } catch (error) {
    throw error instanceof HelmError ? new InstallFailure(error) : error;
  }
}

async function onClient(
  { name, namespace, chart, values }: ServerRequest,
  flags: ParsedFlags,
  world: CommandWorld,
  { files: postRender }: FoundPostRenderer,
  kubeVersion: KubeVersion | undefined,
): Promise<Rendering> {
  const log = logTo(world);
  const options = { helm: world.helm, log };
  const root = choose(chart, values, options, world);
  const skipSchemaValidation = flags.bool('skip-schema-validation');
  if (world.helm === 4 && !skipSchemaValidation && flags.bool('debug')) {
    tellOfSchemas(root, logTo(world));
  }
  const prepared = await withSchemas(world, (schemas) =>
    prepareValues(root, values, { ...options, skipSchemaValidation, schemas }),
  );
  const settings: RenderChartOptions = {
    helm: world.helm,
    log,
    release: { name, namespace, isUpgrade: flags.bool('is-upgrade') },
    kubeVersion,
    apiVersions: flags.list('api-versions'),
    rendersSubchartNotes: flags.bool('render-subchart-notes'),
    now: world.now(),
    random: world.random,
    timeZone: world.timeZone,
    limits: world.limits,
    onFile: world.onFile,
  };
  const source = { root, values: prepared };
  try {
    const { files, notes } = await renderFilesAside(source, settings);
    const changed = (await postRender?.(files)) ?? files;
    return { root, rendered: sortRendered(source, changed, notes, settings) };
  } catch (error) {
    const isTold = error instanceof HelmError || error instanceof CommandError;
    throw isTold ? new InstallFailure(error) : error;
  }
}

function choose(
  chart: Chart,
  values: GoMap,
  options: Parameters<typeof chooseDependencies>[2],
  world: CommandWorld,
): ReturnType<typeof chooseDependencies> {
  try {
    return chooseDependencies(chart, values, options);
  } catch (cause) {
    if (world.helm === 3 || !(cause instanceof HelmError)) throw cause;
    const what = 'chart dependencies processing failed';
    const { message } = cause;
    world.writeError(`level=ERROR msg="${what}" error=${JSON.stringify(message)}\n`);
    throw new CommandError(`${what}: ${message}`, { cause });
  }
}

/** Prints the manifests, writes them to files, or gives them to another program first. */
async function finishManifest(
  rendered: RenderedChart,
  name: string,
  flags: ParsedFlags,
  world: CommandWorld,
  written: Set<string>,
  postRenderer: FoundPostRenderer,
): Promise<string> {
  const includeCrds = flags.bool('include-crds');
  const directory = outputDirectory(flags, name);
  if (directory !== undefined) {
    writeFiles(rendered, directory, flags, world, written);
    return '';
  }
  const text = printManifests(rendered, { includeCrds, hidesSecrets: flags.bool('hide-secret') });
  try {
    return (await postRenderer.manifest?.(text)) ?? text;
  } catch (error) {
    throw error instanceof CommandError ? new InstallFailure(error, text) : error;
  }
}

function writeFiles(
  rendered: RenderedChart,
  directory: string,
  flags: ParsedFlags,
  world: CommandWorld,
  written: Set<string>,
): void {
  try {
    const crds = flags.bool('include-crds') ? rendered.crds : [];
    for (const { filename, file } of crds) {
      const text = new TextDecoder().decode(file.data);
      writeTo(flags.text('output-dir'), filename, text, world, written);
    }
    for (const { path, content } of rendered.manifests) {
      writeTo(directory, path, content, world, written);
    }
  } catch (error) {
    throw error instanceof CommandError ? new InstallFailure(error, '') : error;
  }
}

/** Runs what may need schemas of other documents, fetching each when it is asked for. */
export async function withSchemas<T>(
  world: CommandWorld,
  run: (schemas: ReadonlyMap<string, string | Error>) => T,
): Promise<T> {
  const schemas = new Map<string, string | Error>();
  for (;;) {
    try {
      return run(schemas);
    } catch (error) {
      if (!(error instanceof SchemaNeeded) || schemas.has(error.url)) throw error;
      schemas.set(error.url, await fetchSchema(error.url, world));
    }
  }
}

const maxSchemaBytes = 5 * 1024 * 1024;

export async function fetchSchema(url: string, { network }: CommandWorld): Promise<string | Error> {
  if (network === undefined)
    return new Error(`HTTP request failed for ${url}: there is no network`);
  try {
    const { status, data } = await network.fetch(url, { maxBytes: maxSchemaBytes });
    if (status === 200) return new TextDecoder().decode(data);
    return new Error(`HTTP request to ${url} returned status ${status}`);
  } catch (cause) {
    return new Error(`HTTP request failed for ${url}: ${(cause as Error).message}`, { cause });
  }
}

function readKubeVersion(
  flags: ParsedFlags,
  world: CommandWorld,
  verb: string,
): KubeVersion | undefined {
  const text = flags.text('kube-version');
  if (text === '') {
    // Only Helm 3 asks the cluster for a dry run on the client's side.
    const isAsked = verb === 'install' && world.helm === 3 && world.clusterVersion !== undefined;
    return isAsked ? parseKubeVersion(world.clusterVersion!, 3) : undefined;
  }
  try {
    return parseKubeVersion(text, world.helm);
  } catch (cause) {
    throw new CommandError(`invalid kube version '${text}': ${(cause as Error).message}`, {
      cause,
    });
  }
}

export function loadLocated(
  { path, data }: LocatedChart,
  world: CommandWorld,
  isDetected = false,
): Chart {
  if (data === undefined) return loadFrom(world, path, { isDetected });
  return loadArchive(data, { helm: world.helm, log: logTo(world) });
}

export function checkInstallable({ metadata }: Chart, world: CommandWorld): void {
  const { type = '', deprecated } = metadata;
  if (type !== '' && type !== 'application') {
    throw new CommandError(`${type} charts are not installable`);
  }
  if (deprecated !== true) return;
  if (world.helm === 3) world.writeError('WARNING: This chart is deprecated\n');
  else world.writeError('level=WARN msg="this chart is deprecated"\n');
}

export function missingText(missing: string, { helm }: CommandWorld): string {
  const [an, quote] = helm === 3 ? ['An', '`'] : ['an', "'"];
  return `${an} error occurred while checking for chart dependencies. You may need to run ${quote}helm dependency build${quote} to fetch missing dependencies: ${missing}`;
}

const goTrue = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const goFalse = ['0', 'f', 'F', 'FALSE', 'false', 'False'];

/** @throws CommandError when `--dry-run` says what it may not */
export function checkDryRun(flags: ParsedFlags, world: CommandWorld, isTemplate = false): void {
  const value = flags.text('dry-run');
  if (!flags.has('dry-run')) return;
  if (world.helm === 4 && flags.has('validate')) {
    throw new CommandError(
      'if any flags in the group [validate dry-run] are set none of the others can be; [dry-run validate] were all set',
    );
  }
  if (world.helm === 3) {
    if (['', 'false', 'true', 'none', 'client', 'server'].includes(value)) return;
    throw new CommandError(
      'Invalid dry-run flag. Flag must one of the following: false, true, none, client, server',
    );
  }
  const warn = (message: string): void =>
    logTo(world)({ place: '', text: '', structured: { level: 'WARN', message } });
  if (value === 'client' || value === 'server') return;
  if (value === 'unset') {
    warn("--dry-run is deprecated and should be replaced with '--dry-run=client'");
    return;
  }
  const isFalse = goFalse.includes(value);
  if (value !== 'none' && !isFalse && !goTrue.includes(value)) {
    throw new CommandError(
      `invalid dry-run value (${JSON.stringify(value)}). Must be "none", "server", or "client"`,
    );
  }
  if (isTemplate && (value === 'none' || isFalse)) {
    throw new CommandError(
      `invalid dry-run value (${JSON.stringify(value)}). Must be "server" or "client"`,
    );
  }
  if (value === 'none') return;
  const instead = isFalse ? 'none' : 'client';
  warn(
    `boolean '--dry-run=${value}' flag is deprecated and must be replaced with '--dry-run=${instead}'`,
  );
}

/** What `--debug` adds. */
function debug(
  world: CommandWorld,
  flags: ParsedFlags,
  message: string,
  line: number,
  text: string,
  fields: Record<string, string>,
): void {
  if (!flags.bool('debug')) return;
  const log: Log = logTo(world);
  log({
    place: `install.go:${line}`,
    text: `${debugTime(world)} [debug] ${text}`,
    structured: { level: 'DEBUG', message, fields },
  });
}
