import { join } from 'node:path/posix';
import type { Chart } from '../chart/chart.ts';
import { loadArchive, loadChart } from '../chart/load-chart.ts';
import type { ChartDependency, ChartLock } from '../chart/metadata.ts';
import { packChart } from '../chart/pack-chart.ts';
import { printLock } from '../chart/print-metadata.ts';
import { isInRange, isRange } from '../version/version.ts';
import { readChartDirectory } from './chart-directory.ts';
import { CommandError } from './command-error.ts';
import { dependencyDigest, oldDependencyDigest } from './dependency-digest.ts';
import { DependencySources } from './dependency-sources.ts';
import type { ParsedFlags } from './flag-set.ts';
import { logTo } from './load-from.ts';
import { sourceDate } from './package-verb.ts';
import type { CommandWorld } from './world.ts';

/** Whose dependencies are brought. */
export interface DependencyRequest {
  /** Absolute. */
  readonly chartPath: string;
  /** As the command line has it. */
  readonly shownPath: string;
  readonly flags: ParsedFlags;
  readonly world: CommandWorld;
}

/**
 * Resolves the versions of a chart's dependencies, brings them into `charts/` and writes the lock.
 *
 * @throws CommandError, HelmError
 */
export async function updateDependencies(request: DependencyRequest): Promise<void> {
  const chart = loadDirectory(request);
  const declared = chart.metadata.dependencies;
  if (declared === undefined) return;
  const sources = new DependencySources(request);
  sources.resolveNames(declared);
  await sources.refreshForUpdate(declared);
  const locked = await sources.resolve(declared);
  await bring(locked, sources, request);
  const digest = dependencyDigest(declared, locked);
  if (chart.lock?.digest === digest) return;
  const { world, chartPath } = request;
  const now = sourceDate(world) ?? world.now();
  const lock: ChartLock = { generated: goTime(now), digest, dependencies: locked };
  const name = chart.metadata.apiVersion === 'v1' ? 'requirements.lock' : 'Chart.lock';
  world.files.write(`${chartPath}/${name}`, new TextEncoder().encode(printLock(lock)));
}

/**
 * Brings the versions of the lock into `charts/`; without a lock it updates.
 *
 * @throws CommandError, HelmError
 */
export async function buildDependencies(request: DependencyRequest): Promise<void> {
  const chart = loadDirectory(request);
  const { lock, metadata } = chart;
  if (lock === undefined) {
    await updateDependencies(request);
    return;
  }
  const declared = metadata.dependencies ?? [];
  const isOld = metadata.apiVersion === 'v1';
  const oldDigest = isOld ? oldDependencyDigest(declared) : '';
  const sources = new DependencySources(request);
  sources.resolveNames(declared);
  if (dependencyDigest(declared, lock.dependencies) !== lock.digest) {
    if (!isOld) {
      const how = request.world.helm === 3 ? '' : " with 'helm dependency update'";
      throw new CommandError(
        `the lock file (Chart.lock) is out of sync with the dependencies file (Chart.yaml). Please update the dependencies${how}`,
      );
    }
    if (oldDigest !== lock.digest) {
      throw new CommandError(
        'the lock file (requirements.lock) is out of sync with the dependencies file (requirements.yaml). Please update the dependencies',
      );
    }
  }
  const locked = lock.dependencies.map((each) => ({ ...each }));
  sources.checkKnown(locked);
  await sources.refreshKnown();
  await bring(locked, sources, request);
}

function loadDirectory({ chartPath, shownPath, world }: DependencyRequest): Chart {
  const status = world.files.status(chartPath);
  if (status === undefined) {
    throw new CommandError(
      `could not find ${shownPath}: stat ${shownPath}: no such file or directory`,
    );
  }
  if (status.kind !== 'directory') throw new CommandError('only unpacked charts can be updated');
  const files = readChartDirectory(world.files, chartPath, world.helm);
  return loadChart(files, { helm: world.helm, log: logTo(world) });
}

/** Everything is fetched before anything is changed: half of it is never in `charts/`. */
async function bring(
  locked: ChartDependency[],
  sources: DependencySources,
  request: DependencyRequest,
): Promise<void> {
  const { world, chartPath } = request;
  const { files, helm } = world;
  const directory = `${chartPath}/charts`;
  if (files.status(directory)?.kind === 'file') {
    throw new CommandError(
      `${JSON.stringify(join(request.shownPath, 'charts'))} is not a directory`,
    );
  }
  world.writeOut(`Saving ${locked.length} charts\n`);
  const brought = new Map<string, Uint8Array>();
  try {
    for (const dependency of locked) {
      if (!dependency.repository) checkLocal(dependency, directory, request);
      else if (dependency.repository.startsWith('file://')) {
        const chart = sources.localChart(dependency.repository);
        checkVersion(
          chart,
          dependency,
          `can't get a valid version for dependency ${dependency.name}`,
        );
        const { name, version } = chart.metadata;
        const options = { helm, now: world.now(), sourceDate: sourceDate(world) };
        brought.set(`${name}-${version}.tgz`, packChart(chart, options));
        dependency.version = version;
      } else await sources.download(dependency, brought);
    }
  } catch (error) {
    world.writeOut(`Save error occurred:  ${(error as Error).message}\n`);
    throw error;
  }
  const before = files.status(directory) === undefined ? [] : files.list(directory);
  for (const [name, data] of brought) files.write(`${directory}/${name}`, data);
  world.writeOut('Deleting outdated charts\n');
  const local = new Set(locked.filter((each) => !each.repository).map(({ name }) => name));
  for (const name of before) removeOutdated(name, directory, brought, local, request);
}

function removeOutdated(
  name: string,
  directory: string,
  brought: ReadonlyMap<string, Uint8Array>,
  local: ReadonlySet<string>,
  { world, shownPath }: DependencyRequest,
): void {
  const path = `${directory}/${name}`;
  if (brought.has(name) || world.files.status(path)?.kind !== 'file') return;
  try {
    const chart = loadArchive(world.files.read(path), { helm: world.helm });
    if (!local.has(chart.metadata.name)) world.files.remove(path);
  } catch (error) {
    const shown = join(shownPath, 'charts', name);
    world.writeOut(
      `Could not verify ${shown} for deletion: ${(error as Error).message} (Skipping)\n`,
    );
  }
}

function checkLocal(
  dependency: ChartDependency,
  directory: string,
  { world, shownPath }: DependencyRequest,
): void {
  const { name } = dependency;
  world.writeOut(
    `Dependency ${name} did not declare a repository. Assuming it exists in the charts directory\n`,
  );
  const path = `${directory}/${name}`;
  let chart: Chart;
  try {
    if (world.files.status(path)?.kind !== 'directory') {
      throw new CommandError('Chart.yaml file is missing');
    }
    chart = loadChart(readChartDirectory(world.files, path, world.helm), { helm: world.helm });
  } catch (cause) {
    const shown = join(shownPath, 'charts', name);
    throw new CommandError(`unable to load chart '${shown}': ${(cause as Error).message}`, {
      cause,
    });
  }
  checkVersion(
    chart,
    dependency,
    `dependency ${name} at version ${chart.metadata.version} does not satisfy the constraint ${dependency.version}`,
  );
}

function checkVersion(
  chart: Chart,
  { name, version = '' }: ChartDependency,
  problem: string,
): void {
  if (!isRange(version)) {
    throw new CommandError(
      `dependency ${name} has an invalid version/constraint format: improper constraint: ${JSON.stringify(version)}`,
    );
  }
  if (!isInRange(chart.metadata.version, version)) throw new CommandError(problem);
}

function goTime(time: Date): string {
  return time.toISOString().replace(/\.?0*Z$/, 'Z');
}
