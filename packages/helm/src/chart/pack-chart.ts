import { deflateRawSync } from 'node:zlib';
import type { HelmMajor } from '../engine/values-type.ts';
import { HelmError } from '../helm-error.ts';
import type { Chart } from './chart.ts';
import { type ChartFile, textOf } from './chart-file.ts';
import { crc32 } from './crc32.ts';
import { printLock, printMetadata } from './print-metadata.ts';
import { type TarFile, writeTar } from './tar-writer.ts';

/** How a chart is packed. */
export interface PackOptions {
  readonly helm: HelmMajor;
  /** The time of files that have none of their own: of all with Helm 3. */
  readonly now: Date;
  /** The time of all files, for archives that are the same bytes every time. */
  readonly sourceDate?: Date | undefined;
}

/**
 * Packs a chart: `Chart.yaml` and the lock written anew, then values, schema, templates, other files, subcharts.
 *
 * ```ts
 * declare const chart: Chart;
 * declare const options: PackOptions;
 * packChart(chart, options).length;
 * ```
 *
 * @throws HelmError `WG_HELM_CHART` when the schema is no JSON
 */
export function packChart(chart: Chart, options: PackOptions): Uint8Array {
  return gzip(writeTar(entriesOf(chart, '', options)));
}

/**
 * Packs files as they are, under the names that they have.
 *
 * ```ts
 * packFiles([{ name: 'web/Chart.yaml', data: Buffer.from('name: web\nversion: 1.0.0\n') }]);
 * ```
 */
export function packFiles(files: readonly ChartFile[]): Uint8Array {
  return gzip(
    writeTar(files.map(({ name, data, modifiedAtMs = 0 }) => ({ name, data, modifiedAtMs }))),
  );
}

function entriesOf(chart: Chart, prefix: string, options: PackOptions): TarFile[] {
  const { metadata, lock, schema } = chart;
  const base = `${prefix}${metadata.name}`;
  const entries: TarFile[] = [];
  const add = (name: string, data: Uint8Array | string, timeMs?: number): void => {
    const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
    entries.push({ name: `${base}/${name}`, data: bytes, modifiedAtMs: timeOf(timeMs, options) });
  };
  const timeOfFile = (name: string) => chart.raw.find((file) => file.name === name)?.modifiedAtMs;
  const { dependencies, ...old } = metadata;
  add(
    'Chart.yaml',
    printMetadata(metadata.apiVersion === 'v1' ? old : metadata),
    timeOfFile('Chart.yaml'),
  );
  if (metadata.apiVersion === 'v2' && lock !== undefined) {
    add('Chart.lock', printLock(lock), Date.parse(lock.generated) || undefined);
  }
  const values = chart.raw.find(({ name }) => name === 'values.yaml');
  if (values !== undefined) add('values.yaml', values.data, values.modifiedAtMs);
  if (schema !== undefined) {
    checkJson(schema, options.helm);
    add('values.schema.json', schema, timeOfFile('values.schema.json'));
  }
  for (const file of [...chart.templates, ...chart.files]) {
    add(file.name, file.data, file.modifiedAtMs);
  }
  for (const child of chart.dependencies) {
    entries.push(...entriesOf(child, `${base}/charts/`, options));
  }
  return entries;
}

function timeOf(ownMs: number | undefined, { helm, now, sourceDate }: PackOptions): number {
  if (sourceDate !== undefined) return sourceDate.getTime();
  return helm === 3 ? now.getTime() : (ownMs ?? now.getTime());
}

function checkJson(schema: Uint8Array, helm: HelmMajor): void {
  try {
    JSON.parse(textOf({ data: schema }));
  } catch (cause) {
    const word = helm === 3 ? 'Invalid' : 'invalid';
    throw new HelmError('WG_HELM_CHART', `${word} JSON in values.schema.json`, { cause });
  }
}

/** Marked as Helm's by its comment, and without a time: the same chart is the same bytes. */
function gzip(data: Uint8Array): Uint8Array {
  const hasComment = 0x10;
  const unknownSystem = 0xff;
  const header = [0x1f, 0x8b, 8, hasComment, 0, 0, 0, 0, 0, unknownSystem];
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(data), 0);
  trailer.writeUInt32LE(data.length >>> 0, 4);
  return Buffer.concat([
    Uint8Array.from(header),
    new TextEncoder().encode('Helm\0'),
    deflateRawSync(data),
    trailer,
  ]);
}
