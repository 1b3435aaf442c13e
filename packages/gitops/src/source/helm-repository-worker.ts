import { createHash } from 'node:crypto';
import { readIndex } from '@waygate/helm';
import type { HelmRepository } from '../api/helm-objects.ts';
import type { SourceStatus } from '../api/source-objects.ts';
import type { ArtifactStorage } from '../artifact/artifact-storage.ts';
import { messageOf } from '../gitops-error.ts';
import { durationMs } from '../interval.ts';
import { ChartRepository, type ChartSizes } from './chart-repository.ts';
import { fetchingAs, SourceFailure, storageFailure } from './source-failure.ts';
import type { SourcePass } from './source-pass.ts';
import type { SourceOutcome, SourceWorker } from './source-reconciler.ts';
import type { SourceSecrets } from './source-secrets.ts';

/** Keeps the index of a HelmRepository. */
export class HelmRepositoryWorker implements SourceWorker<HelmRepository, SourceStatus> {
  readonly kind = 'HelmRepository';
  readonly #secrets: SourceSecrets;
  readonly #storage: ArtifactStorage;
  readonly #sizes: ChartSizes;

  constructor(options: { secrets: SourceSecrets; storage: ArtifactStorage; sizes: ChartSizes }) {
    this.#sizes = options.sizes;
    this.#secrets = options.secrets;
    this.#storage = options.storage;
  }

  async update(
    object: HelmRepository,
    pass: SourcePass<SourceStatus>,
    signal: AbortSignal,
  ): Promise<SourceOutcome> {
    const { spec, metadata } = object;
    checkUrl(spec.url);
    const timed = AbortSignal.any([signal, AbortSignal.timeout(durationMs(spec.timeout, 60_000))]);
    const repository = await ChartRepository.open(object, this.#secrets, signal, this.#sizes);
    const prefix = `failed to fetch Helm repository index: `;
    const bytes = await fetchingAs('IndexationFailed', prefix, () => repository.index(timed));
    const revision = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    const stored = `stored artifact: revision '${revision}'`;
    if (pass.status.artifact?.revision === revision) {
      const message = `artifact up-to-date with remote revision: '${revision}'`;
      const event = eventOf(object, bytes.length);
      return { stored, event, unchanged: { reason: 'ArtifactUpToDate', message } };
    }
    pass.outdate('NewRevision', `new index revision '${revision}'`);
    await fetchingAs('IndexationFailed', 'failed to load Helm repository index: ', async () =>
      readIndex(Buffer.from(bytes).toString('utf8')),
    );
    const { namespace = '', name = '' } = metadata;
    const file = `index-${revision.slice('sha256:'.length)}`;
    const target = { kind: this.kind, namespace, name, file, extension: 'yaml' };
    const artifact = await this.#storage.publishBytes(target, revision, bytes);
    pass.status.artifact = artifact;
    pass.status.url = await this.#storage.link(artifact);
    return { stored, event: eventOf(object, bytes.length) };
  }

  explain(error: unknown): SourceFailure {
    const disk = storageFailure(error);
    if (disk !== undefined) return disk;
    return new SourceFailure('FetchFailed', 'IndexationFailed', messageOf(error), { cause: error });
  }

  async forget(): Promise<void> {}
}

function checkUrl(url: string): void {
  try {
    const { protocol } = new URL(url);
    if (protocol === 'http:' || protocol === 'https:') return;
  } catch {
    // Falls through: it is no URL at all.
  }
  const message = `invalid Helm repository URL: '${url}' is no http or https address`;
  throw new SourceFailure('FetchFailed', 'URLInvalid', message, { retry: 'never' });
}

function eventOf({ spec }: HelmRepository, size: number): string {
  const shownSize = size < 1000 ? `${size}B` : `${(size / 1000).toFixed(3).slice(0, 5)}kB`;
  return `stored fetched index of size ${shownSize} from '${spec.url}'`;
}
