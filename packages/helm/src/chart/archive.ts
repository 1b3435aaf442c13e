import { posix } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readTar, type TarEntry } from '@waygate/text';
import type { HelmMajor } from '../engine/values-type.ts';
import { HelmError } from '../helm-error.ts';
import { type ChartFile, withoutByteOrderMark } from './chart-file.ts';

/** How much of a packed chart is read. */
export interface ArchiveLimits {
  /** Of all files together, unpacked; subcharts that are packed inside count too. Default 100 MiB. */
  readonly maxChartBytes?: number | undefined;
  /** Of one file; Helm 4 has no such limit. Default 5 MiB for Helm 3. */
  readonly maxFileBytes?: number | undefined;
}

/** Counts down what a chart and the charts packed inside it may still use. */
export class ArchiveBudget {
  readonly helm: HelmMajor;
  readonly maxChartBytes: number;
  readonly maxFileBytes: number;
  #left: number;

  constructor(helm: HelmMajor, limits: ArchiveLimits = {}) {
    this.helm = helm;
    this.maxChartBytes = limits.maxChartBytes ?? 100 * 1024 * 1024;
    this.maxFileBytes = limits.maxFileBytes ?? (helm === 3 ? 5 * 1024 * 1024 : Infinity);
    this.#left = this.maxChartBytes;
  }

  get left(): number {
    return this.#left;
  }

  take(bytes: number, name: string): void {
    if (bytes >= this.#left) throw this.tooLarge();
    if (bytes > this.maxFileBytes) {
      throw chartError(
        `decompressed chart file ${JSON.stringify(name)} is larger than the maximum file size ${this.maxFileBytes}`,
      );
    }
    this.#left -= bytes;
  }

  tooLarge(): HelmError {
    const what = this.helm === 3 ? 'file size' : 'size';
    return new HelmError(
      'WG_HELM_LIMIT',
      `decompressed chart is larger than the maximum ${what} ${this.maxChartBytes}`,
    );
  }
}

/** Bytes that are not gzip at all, which the caller may want to word by itself. */
export const invalidGzipHeader = 'gzip: invalid header';

/** A tar header and its padding for each file come on top of what the files hold. */
const headerAllowance = 16 * 1024 * 1024;

/**
 * The files of a packed chart, without the directory that all of them are in. Nothing of the archive is
 * believed: no path leaves the chart, and no more is unpacked than the budget has.
 *
 * @throws HelmError `WG_HELM_CHART`, `WG_HELM_LIMIT`
 */
export function readArchive(bytes: Uint8Array, budget: ArchiveBudget): ChartFile[] {
  const files: ChartFile[] = [];
  try {
    for (const entry of entriesOf(bytes, budget)) {
      const name = nameInChart(entry);
      budget.take(entry.data.length, entry.name);
      files.push({
        name,
        data: withoutByteOrderMark(entry.data),
        modifiedAtMs: entry.modifiedAtMs,
      });
    }
  } catch (error) {
    if (error instanceof HelmError) throw error;
    throw new HelmError('WG_HELM_CHART', (error as Error).message, { cause: error });
  }
  if (files.length === 0) throw chartError('no files in chart archive');
  return files;
}

/**
 * The entries of an archive under their whole names, for whoever wants to see them.
 *
 * ```ts
 * import { readFileSync } from 'node:fs';
 *
 * listArchive(readFileSync('web-1.0.0.tgz')).map(({ name }) => name); // ['web/Chart.yaml', …]
 * ```
 */
export function listArchive(bytes: Uint8Array): ChartFile[] {
  return [...entriesOf(bytes, new ArchiveBudget(4))];
}

/** All but directories; a link is a file with nothing in it. */
function* entriesOf(bytes: Uint8Array, budget: ArchiveBudget): Iterable<TarEntry> {
  for (const entry of readTar(gunzip(bytes, budget))) if (entry.kind !== 'directory') yield entry;
}

function gunzip(bytes: Uint8Array, budget: ArchiveBudget): Uint8Array {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) {
    throw chartError(bytes.length === 0 ? 'EOF' : invalidGzipHeader);
  }
  try {
    return gunzipSync(bytes, { maxOutputLength: budget.left + headerAllowance });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw budget.tooLarge();
    const words = code === 'Z_BUF_ERROR' ? 'unexpected EOF' : 'gzip: invalid checksum';
    throw new HelmError('WG_HELM_CHART', words, { cause });
  }
}

function nameInChart({ name: whole }: TarEntry): string {
  // An archive made on Windows may have the other slash.
  const delimiter = whole.includes('\\') ? '\\' : '/';
  const parts = whole.split(delimiter);
  const inside = parts.slice(1).join('/');
  if (inside.startsWith('/')) throw chartError('chart illegally contains absolute paths');
  const name = posix.normalize(inside === '' ? '.' : inside);
  if (name === '.' || name === './') {
    throw chartError(
      `chart illegally contains content outside the base directory: ${JSON.stringify(whole)}`,
    );
  }
  if (name.startsWith('..')) throw chartError('chart illegally references parent directory');
  if (/^[a-zA-Z]:\//.test(name)) throw chartError('chart contains illegally named files');
  if (parts[0] === 'Chart.yaml') throw chartError('chart yaml not in base directory');
  return name;
}

function chartError(message: string): HelmError {
  return new HelmError('WG_HELM_CHART', message);
}
