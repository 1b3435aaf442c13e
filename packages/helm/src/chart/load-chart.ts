import type { HelmMajor } from '../engine/values-type.ts';
import type { GoMap } from '../go/value.ts';
import { HelmError } from '../helm-error.ts';
import type { Log } from '../log-entry.ts';
import { ArchiveBudget, type ArchiveLimits, readArchive } from './archive.ts';
import type { Chart } from './chart.ts';
import { type ChartFile, textOf } from './chart-file.ts';
import type { ChartLock, ChartMetadata } from './metadata.ts';
import { readLock, readMetadata } from './read-metadata.ts';
import { validateMetadata } from './validate-metadata.ts';
import { readValuesFile } from './values-file.ts';

/** How a chart is loaded. */
export interface LoadOptions {
  /** Whose rules count. Default 4. */
  readonly helm?: HelmMajor | undefined;
  /** Told of what is old-fashioned. */
  readonly log?: Log | undefined;
  /** How much a packed chart may hold. */
  readonly limits?: ArchiveLimits | undefined;
}

/** Charts in charts in charts: deeper than this is an attack. */
const maxDepth = 32;

/**
 * Loads a chart of its files, subcharts in `charts/` with it.
 *
 * ```ts
 * const chart = loadChart([{ name: 'Chart.yaml', data: Buffer.from('name: web\nversion: 1.0.0\n') }]);
 * chart.metadata.apiVersion; // v1
 * ```
 *
 * @throws HelmError `WG_HELM_CHART`, `WG_HELM_LIMIT`
 */
export function loadChart(files: readonly ChartFile[], options: LoadOptions = {}): Chart {
  return new Loader(options).load(files, 0);
}

/**
 * Loads a packed chart.
 *
 * ```ts
 * import { readFileSync } from 'node:fs';
 *
 * loadArchive(readFileSync('web-1.0.0.tgz')).metadata.name; // 'web'
 * ```
 *
 * @throws HelmError `WG_HELM_CHART`, `WG_HELM_LIMIT`
 */
export function loadArchive(bytes: Uint8Array, options: LoadOptions = {}): Chart {
  return new Loader(options).loadArchive(bytes, 0);
}

class Loader {
  readonly #helm: HelmMajor;
  readonly #log: Log;
  readonly #budget: ArchiveBudget;

  constructor({ helm = 4, log = () => {}, limits }: LoadOptions) {
    this.#helm = helm;
    this.#log = log;
    this.#budget = new ArchiveBudget(helm, limits);
  }

  loadArchive(bytes: Uint8Array, depth: number): Chart {
    return this.load(readArchive(bytes, this.#budget), depth);
  }

  load(raw: readonly ChartFile[], depth: number): Chart {
    if (depth > maxDepth) {
      throw new HelmError('WG_HELM_LIMIT', `charts nest deeper than ${maxDepth}`);
    }
    const parts = new ChartParts(this.#helm, this.#log);
    parts.readMetadata(raw);
    for (const file of raw) parts.take(file);
    const chart = parts.finish(raw);
    for (const [name, files] of [...parts.subcharts].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (/^[_.]/.test(name)) continue;
      try {
        chart.dependencies.push(this.#subchart(name, files, chart, depth + 1));
      } catch (cause) {
        if (
          !(cause instanceof HelmError) ||
          cause.message.startsWith('error unpacking subchart tar')
        ) {
          throw cause;
        }
        throw new HelmError(
          cause.code,
          `error unpacking subchart ${name} in ${chart.metadata.name}: ${cause.message}`,
          { cause },
        );
      }
    }
    return chart;
  }

  #subchart(name: string, files: readonly ChartFile[], parent: Chart, depth: number): Chart {
    if (!name.endsWith('.tgz')) {
      const inside = files
        .filter((file) => file.name.includes('/'))
        .map((file) => ({ ...file, name: file.name.slice(file.name.indexOf('/') + 1) }));
      return this.load(inside, depth);
    }
    const [file] = files;
    if (file?.name !== name) {
      throw new HelmError(
        'WG_HELM_CHART',
        `error unpacking subchart tar in ${parent.metadata.name}: expected ${name}, got ${file?.name}`,
      );
    }
    return this.loadArchive(file.data, depth);
  }
}

/** What a chart is made of, while its files are gone through. */
class ChartParts {
  readonly subcharts = new Map<string, ChartFile[]>();
  readonly #helm: HelmMajor;
  readonly #log: Log;
  readonly #templates: ChartFile[] = [];
  readonly #files: ChartFile[] = [];
  #metadata: Partial<ChartMetadata> | undefined;
  #lock: ChartLock | undefined;
  #values: GoMap | undefined;
  #schema: Uint8Array | undefined;

  constructor(helm: HelmMajor, log: Log) {
    this.#helm = helm;
    this.#log = log;
  }

  /** First of all, wherever it is among the files. */
  readMetadata(files: readonly ChartFile[]): void {
    for (const file of files) {
      if (file.name !== 'Chart.yaml') continue;
      const metadata = this.#metadata ?? {};
      this.#metadata = metadata;
      parse('Chart.yaml', () => readMetadata(textOf(file), metadata, this.#helm));
      metadata.apiVersion ||= 'v1';
    }
  }

  take(file: ChartFile): void {
    const { name } = file;
    switch (name) {
      case 'Chart.yaml':
        return;
      case 'Chart.lock':
        this.#lock = parse(name, () => readLock(textOf(file), this.#helm));
        return;
      case 'values.yaml':
        this.#values = parse(name, () => readValuesFile(textOf(file), this.#helm));
        return;
      case 'values.schema.json':
        this.#schema = file.data;
        return;
      case 'requirements.yaml':
        this.#takeRequirements(file);
        return;
      case 'requirements.lock':
        this.#lock = parse(name, () => readLock(textOf(file), this.#helm));
        this.#keepIfOld(
          file,
          138,
          'Warning: Dependency locking is handled in Chart.lock since apiVersion "v2". We recommend migrating to Chart.lock.',
        );
        return;
    }
    if (name.startsWith('templates/')) this.#templates.push(file);
    else if (!name.startsWith('charts/') || name.endsWith('.prov')) this.#files.push(file);
    else {
      const inside = name.slice('charts/'.length);
      const chart = inside.split('/')[0]!;
      const files = this.subcharts.get(chart) ?? [];
      this.subcharts.set(chart, files);
      files.push({ ...file, name: inside });
    }
  }

  #takeRequirements(file: ChartFile): void {
    const metadata = this.#metadata ?? {};
    this.#metadata = metadata;
    this.#keepIfOld(
      file,
      120,
      'Warning: Dependencies are handled in Chart.yaml since apiVersion "v2". We recommend migrating dependencies to Chart.yaml.',
    );
    parse(file.name, () => readMetadata(textOf(file), metadata, this.#helm));
  }

  /** Of a chart of the first version it is a file like others; of a later one it should not be there. */
  #keepIfOld(file: ChartFile, line: number, warning: string): void {
    if (this.#metadata?.apiVersion === 'v1') this.#files.push(file);
    else this.#log({ place: `load.go:${line}`, text: warning });
  }

  finish(raw: readonly ChartFile[]): Chart {
    const metadata = this.#metadata as ChartMetadata | undefined;
    if (metadata === undefined) throw new HelmError('WG_HELM_CHART', 'Chart.yaml file is missing');
    validateMetadata(metadata);
    return {
      metadata,
      lock: this.#lock,
      values: this.#values,
      schema: this.#schema,
      templates: this.#templates,
      files: this.#files,
      raw,
      dependencies: [],
    };
  }
}

function parse<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof HelmError) throw cause;
    throw new HelmError('WG_HELM_CHART', `cannot load ${name}: ${(cause as Error).message}`, {
      cause,
    });
  }
}
