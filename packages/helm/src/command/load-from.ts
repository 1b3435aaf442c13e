import { invalidGzipHeader } from '../chart/archive.ts';
import type { Chart } from '../chart/chart.ts';
import { textOf } from '../chart/chart-file.ts';
import { loadArchive, loadChart } from '../chart/load-chart.ts';
import type { ChartMetadata } from '../chart/metadata.ts';
import { readMetadata } from '../chart/read-metadata.ts';
import type { Log } from '../log-entry.ts';
import { printLogEntry } from '../log-entry.ts';
import { readChartDirectory } from './chart-directory.ts';
import { CommandError } from './command-error.ts';
import type { CommandWorld } from './world.ts';

/** Writes what there is to say to standard error. */
export function logTo(world: CommandWorld): Log {
  return (entry) => world.writeError(printLogEntry(entry, world.helm));
}

/**
 * Loads a chart from a directory or a packed file.
 *
 * @throws CommandError, HelmError
 */
export function loadFrom(
  world: CommandWorld,
  path: string,
  { shown = path, isDetected = false }: { shown?: string; isDetected?: boolean } = {},
): Chart {
  const { files, helm } = world;
  const status = files.status(path);
  if (status === undefined) throw new CommandError(`stat ${shown}: no such file or directory`);
  const options = { helm, log: logTo(world) };
  if (status.kind === 'directory') {
    if (helm === 4 && isDetected) detectVersion(world, path);
    return loadChart(readChartDirectory(files, path, helm), options);
  }
  const data = files.read(path);
  if (data[0] !== 0x1f || data[1] !== 0x8b || data[2] !== 8) throw notAnArchive(path, data);
  try {
    return loadArchive(data, options);
  } catch (error) {
    if ((error as Error).message !== invalidGzipHeader) throw error;
    throw new CommandError(
      `file '${path}' does not appear to be a valid chart file (details: ${invalidGzipHeader})`,
    );
  }
}

/** Some of Helm 4's commands look at the version of a chart before they load it. */
function detectVersion({ files }: CommandWorld, directory: string): void {
  const path = `${directory}/Chart.yaml`;
  if (files.status(path)?.kind !== 'file') {
    throw new CommandError(
      `unable to detect chart at ${path}: open ${path}: no such file or directory`,
    );
  }
  const metadata: Partial<ChartMetadata> = {};
  try {
    readMetadata(textOf({ data: files.read(path) }), metadata, 4);
  } catch {
    // The loader says it better.
    return;
  }
  const { apiVersion = '' } = metadata;
  if (!['', 'v1', 'v2', 'v3'].includes(apiVersion)) {
    throw new CommandError('unsupported chart version');
  }
}

/** Charts of the third version are loaded by Helm 4, and then not taken. @throws CommandError */
export function checkApiVersion({ metadata }: Chart, { helm }: CommandWorld): void {
  if (helm === 4 && metadata.apiVersion === 'v3')
    throw new CommandError('invalid chart apiVersion');
}

function notAnArchive(path: string, data: Uint8Array): CommandError {
  if (/\.ya?ml$/.test(path)) {
    return new CommandError(
      `file '${path}' seems to be a YAML file, but expected a gzipped archive`,
    );
  }
  const isText = data
    .subarray(0, 512)
    .every((byte) => byte >= 32 || [9, 10, 12, 13, 27].includes(byte));
  const type = isText ? 'text/plain; charset=utf-8' : 'application/octet-stream';
  return new CommandError(`file '${path}' does not appear to be a gzipped archive; got '${type}'`);
}
