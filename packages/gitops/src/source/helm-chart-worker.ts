import { createHash } from 'node:crypto';
import {
  findInIndex,
  HelmError,
  loadArchive,
  type RepositoryIndex,
  readIndex,
} from '@waygate/helm';
import type { Clock, SharedInformer } from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import { equalJson } from '@waygate/text';
import type { HelmChart, HelmChartStatus, HelmRepository } from '../api/helm-objects.ts';
import type { Artifact, SourceObject } from '../api/source-objects.ts';
import type { ArtifactFetcher } from '../artifact/artifact-fetcher.ts';
import type { ArtifactStorage } from '../artifact/artifact-storage.ts';
import { GitOpsError, messageOf } from '../gitops-error.ts';
import { latestTag } from '../version/latest-tag.ts';
import { type BuiltChart, buildChart, chartOfTree } from './chart-build.ts';
import { dependencyNetwork } from './chart-dependencies.ts';
import { ChartRepository, type ChartSizes } from './chart-repository.ts';
import { verifyOciArtifact } from './oci-verification.ts';
import { fetchingAs, SourceFailure, storageFailure } from './source-failure.ts';
import type { SourcePass } from './source-pass.ts';
import type { SourceOutcome, SourceWorker } from './source-reconciler.ts';
import type { SourceSecrets } from './source-secrets.ts';

interface HelmChartWorkerOptions {
  readonly secrets: SourceSecrets;
  readonly storage: ArtifactStorage;
  readonly fetcher: ArtifactFetcher;
  /** Caches of the kinds that charts may come from. */
  readonly sources: ReadonlyMap<string, SharedInformer<KubeObject>>;
  readonly clock: Clock;
  readonly sizes: ChartSizes;
}

type Pass = SourcePass<HelmChartStatus>;

const keptIndexes = 4;

/** Keeps the packed chart of a HelmChart at what its source has. */
export class HelmChartWorker implements SourceWorker<HelmChart, HelmChartStatus> {
  readonly kind = 'HelmChart';
  readonly #options: HelmChartWorkerOptions;
  /** By digest: many charts come from one repository. */
  readonly #indexes = new Map<string, RepositoryIndex>();

  constructor(options: HelmChartWorkerOptions) {
    this.#options = options;
  }

  async update(object: HelmChart, pass: Pass, signal: AbortSignal): Promise<SourceOutcome> {
    const source = this.#sourceOf(object);
    const { kind } = object.spec.sourceRef;
    if (kind !== 'HelmRepository') return this.#fromFiles(object, source, pass, signal);
    const repository = source as HelmRepository;
    return repository.spec.type === 'oci'
      ? this.#fromRegistry(object, repository, pass, signal)
      : this.#fromIndex(object, repository, pass, signal);
  }

  explain(error: unknown): SourceFailure {
    const disk = storageFailure(error);
    if (disk !== undefined) return disk;
    if (error instanceof HelmError) return buildFailed(error);
    return new SourceFailure('FetchFailed', 'ChartPullError', messageOf(error), { cause: error });
  }

  async forget(): Promise<void> {}

  /** @throws SourceFailure when it is not there, or has nothing to offer yet */
  #sourceOf({ spec, metadata }: HelmChart): SourceObject {
    const { kind, name } = spec.sourceRef;
    const informer = this.#options.sources.get(kind);
    if (informer === undefined) {
      const message = `unsupported source kind '${kind}', must be one of: [HelmRepository GitRepository Bucket]`;
      throw new SourceFailure('FetchFailed', 'SourceUnavailable', message, { retry: 'never' });
    }
    const source = informer.indexer.getByKey(`${metadata.namespace}/${name}`) as
      | SourceObject
      | undefined;
    if (source === undefined) {
      const plural = kind === 'HelmRepository' ? 'helmrepositories' : plurals[kind];
      const why = `${plural}.source.toolkit.fluxcd.io "${name}" not found`;
      const message = `failed to get source: ${why}`;
      throw new SourceFailure('FetchFailed', 'SourceUnavailable', message, { retry: 'dependency' });
    }
    const isStatic = (source as HelmRepository).spec.type === 'oci';
    if (source.status?.artifact !== undefined || isStatic) return source;
    const message = `no artifact available for ${kind} source '${name}'`;
    throw new SourceFailure('FetchFailed', 'NoSourceArtifact', message, { retry: 'dependency' });
  }

  async #fromIndex(
    object: HelmChart,
    repository: HelmRepository,
    pass: Pass,
    signal: AbortSignal,
  ): Promise<SourceOutcome> {
    const { spec } = object;
    const artifact = repository.status!.artifact!;
    const index = await this.#index(artifact, signal);
    const entry = await referenced(object, async () =>
      findInIndex(index, spec.chart, spec.version ?? ''),
    );
    const versionMetadata = metadataOf(object);
    const revision = versionOf(entry.version, versionMetadata);
    pass.status.observedSourceArtifactRevision = artifact.revision;
    if (isCurrent(object, pass, entry.name, revision)) return unchanged(pass, entry.name);
    pass.outdate('NewRevision', `new chart version '${revision}'`);
    const { sizes } = this.#options;
    const opened = await ChartRepository.open(repository, this.#options.secrets, signal, sizes);
    const what = `chart pull error: failed to download chart for remote reference: `;
    const bytes = await fetchingAs('ChartPullError', what, () =>
      opened.chart(entry.urls[0] ?? '', entry.digest, signal),
    );
    const chart = loadArchive(bytes, { limits: { maxFileBytes: sizes.fileBytes } });
    const built = buildChart(chart, spec, { versionMetadata, original: bytes });
    return this.#publish(object, pass, built);
  }

  async #fromRegistry(
    object: HelmChart,
    repository: HelmRepository,
    pass: Pass,
    signal: AbortSignal,
  ): Promise<SourceOutcome> {
    const { spec, metadata } = object;
    const { sizes } = this.#options;
    const opened = await ChartRepository.open(repository, this.#options.secrets, signal, sizes);
    const registry = opened.registryOf(spec.chart, () => this.#options.clock.now());
    try {
      const what = 'chart pull error: ';
      const tag = await fetchingAs('ChartPullError', what, async () => {
        const tags = await registry.tags(signal);
        // A registry takes no + in tags.
        const exact = (spec.version ?? '').replaceAll('+', '_');
        return tags.includes(exact) ? exact : latestTag(tags, spec.version || '*', undefined);
      });
      const digest = await fetchingAs('ChartPullError', what, () => registry.digestOf(tag, signal));
      const versionMetadata = metadataOf(object);
      const revision = versionOf(tag.replaceAll('_', '+'), versionMetadata);
      const name = spec.chart.split('/').at(-1) ?? spec.chart;
      const isNew = !isCurrent(object, pass, name, revision);
      await verifyOciArtifact({
        object,
        pass,
        isNew,
        digest,
        revision,
        shown: `${repository.spec.url}/${spec.chart}:${tag}`,
        registry,
        keysOf: () =>
          this.#options.secrets.read(
            metadata.namespace ?? '',
            spec.verify?.secretRef?.name,
            signal,
          ),
        signal,
      });
      if (!isNew) return unchanged(pass, name);
      pass.outdate('NewRevision', `new chart version '${revision}'`);
      const bytes = await fetchingAs('ChartPullError', what, () =>
        sizes.pull(registry, digest, signal),
      );
      const chart = loadArchive(bytes, { limits: { maxFileBytes: sizes.fileBytes } });
      return await this.#publish(
        object,
        pass,
        buildChart(chart, spec, { versionMetadata, original: bytes }),
      );
    } finally {
      registry.close();
    }
  }

  async #fromFiles(
    object: HelmChart,
    source: SourceObject,
    pass: Pass,
    signal: AbortSignal,
  ): Promise<SourceOutcome> {
    const { spec } = object;
    const artifact = source.status!.artifact!;
    const isSame =
      pass.status.observedSourceArtifactRevision === artifact.revision &&
      pass.status.observedGeneration === pass.generation &&
      pass.status.artifact !== undefined;
    if (isSame) return unchanged(pass, pass.status.observedChartName ?? spec.chart);
    const tree = await fetchingAs('SourceUnavailable', 'failed to fetch source artifact: ', () =>
      this.#options.fetcher.fetch(artifact, signal),
    );
    const { secrets, sizes, sources, clock } = this.#options;
    const network = dependencyNetwork({
      namespace: object.metadata.namespace ?? '',
      repositories: sources.get('HelmRepository'),
      secrets,
      sizes,
      now: () => clock.now(),
      signal,
    });
    const chart = await referenced(object, () => chartOfTree(tree, spec.chart, network));
    const versionMetadata = metadataOf(object, artifact.revision);
    const revision = versionOf(chart.metadata.version, versionMetadata);
    pass.status.observedSourceArtifactRevision = artifact.revision;
    // By its version alone, a chart that says the same one is the same chart.
    if (isCurrent(object, pass, chart.metadata.name, revision)) {
      return unchanged(pass, chart.metadata.name);
    }
    pass.outdate('NewRevision', `new chart version '${revision}'`);
    const readBeside = (path: string) => {
      const full = `/${path.replaceAll(/^[./]+/g, '')}`;
      return tree.has(full) ? tree.read(full) : undefined;
    };
    const built = buildChart(chart, spec, { versionMetadata, readBeside });
    return this.#publish(object, pass, built);
  }

  async #index(artifact: Artifact, signal: AbortSignal): Promise<RepositoryIndex> {
    const known = this.#indexes.get(artifact.digest);
    if (known !== undefined) return known;
    const bytes = await fetchingAs('SourceUnavailable', 'failed to load index: ', () =>
      this.#options.fetcher.fetchBytes(artifact, signal),
    );
    const index = readIndex(Buffer.from(bytes).toString('utf8'));
    this.#indexes.set(artifact.digest, index);
    const [oldest] = this.#indexes.keys();
    if (this.#indexes.size > keptIndexes && oldest !== undefined) this.#indexes.delete(oldest);
    return index;
  }

  async #publish(object: HelmChart, pass: Pass, built: BuiltChart): Promise<SourceOutcome> {
    const { namespace = '', name = '' } = object.metadata;
    const { storage } = this.#options;
    const digest = createHash('sha256').update(built.bytes).digest('hex').slice(0, 12);
    const file = `${built.name}-${built.version}-${digest}`;
    const target = { kind: this.kind, namespace, name, file, extension: 'tgz' };
    const artifact = await storage.publishBytes(target, built.version, built.bytes);
    pass.status.artifact = artifact;
    pass.status.url = await storage.link(artifact);
    pass.status.observedChartName = built.name;
    if (built.valuesFiles.length > 0) pass.status.observedValuesFiles = [...built.valuesFiles];
    else delete pass.status.observedValuesFiles;
    const merged =
      built.valuesFiles.length > 0
        ? ` with merged values files [${built.valuesFiles.join(' ')}]`
        : '';
    const done = built.isPackaged ? 'packaged' : 'pulled';
    const message = `${done} '${built.name}' chart with version '${built.version}'${merged}`;
    const reason = built.isPackaged ? 'ChartPackageSucceeded' : 'ChartPullSucceeded';
    return { stored: message, event: message, reason };
  }
}

const plurals: Readonly<Record<string, string>> = {
  GitRepository: 'gitrepositories',
  Bucket: 'buckets',
};

/** What goes behind the version: values files make another chart of it with each generation. */
function metadataOf({ spec, metadata }: HelmChart, sourceRevision?: string): string {
  const parts: string[] = [];
  if (spec.reconcileStrategy === 'Revision' && sourceRevision !== undefined) {
    const digest = sourceRevision.split(/[:@/]/).at(-1) ?? '';
    parts.push(digest.slice(0, 12));
  }
  if ((spec.valuesFiles ?? []).length > 0) parts.push(String(metadata.generation ?? 0));
  return parts.join('.');
}

function versionOf(version: string, metadata: string): string {
  if (metadata === '') return version;
  const [plain = version, old] = version.split('+');
  return `${plain}+${old === undefined ? metadata : `${old}.${metadata}`}`;
}

function isCurrent({ spec }: HelmChart, { status }: Pass, name: string, revision: string): boolean {
  const observed = status.observedValuesFiles ?? [];
  const isSameFiles =
    spec.ignoreMissingValuesFiles === true || equalJson(observed, spec.valuesFiles ?? []);
  return status.artifact?.revision === revision && status.observedChartName === name && isSameFiles;
}

function unchanged(pass: Pass, name: string): SourceOutcome {
  const { revision = '' } = pass.status.artifact ?? {};
  const known = pass.conditions.get('ArtifactInStorage');
  const stored = known?.message ?? `pulled '${name}' chart with version '${revision}'`;
  const message = `artifact up-to-date with remote revision: '${revision}'`;
  return {
    stored,
    event: stored,
    ...(known && { reason: known.reason }),
    unchanged: { reason: 'ArtifactUpToDate', message },
  };
}

/** What the object names is not there, or is no chart: another try gives the same until something changes. */
async function referenced<T>(object: HelmChart, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const disk = storageFailure(error);
    if (disk !== undefined) throw disk;
    const isLasting =
      error instanceof HelmError ||
      (error instanceof GitOpsError && error.code === 'WG_GITOPS_NOT_FOUND');
    if (!isLasting) {
      const message = `dependency build error: ${messageOf(error)}`;
      throw new SourceFailure('BuildFailed', 'DependencyBuildError', message, { cause: error });
    }
    const { chart, version = '' } = object.spec;
    const shown =
      version === '' ? `'${chart}' chart` : `'${chart}' chart with version '${version}'`;
    const message = `invalid chart reference: failed to get ${shown}: ${messageOf(error)}`;
    const options = { retry: 'never', cause: error } as const;
    throw new SourceFailure('BuildFailed', 'InvalidChartReference', message, options);
  }
}

function buildFailed(error: HelmError): SourceFailure {
  return new SourceFailure('BuildFailed', 'ChartPackageError', error.message, { cause: error });
}
