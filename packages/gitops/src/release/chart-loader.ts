import { type Chart, loadArchive } from '@waygate/helm';
import type { Artifact, SourceObject } from '../api/source-objects.ts';
import type { ArtifactFetcher } from '../artifact/artifact-fetcher.ts';
import { GitOpsError } from '../gitops-error.ts';

const keptCharts = 16;

/** Loads the charts of artifacts; many releases of one chart share it. */
export class ChartLoader {
  readonly #fetcher: ArtifactFetcher;
  /** By digest, the least recently used first. */
  readonly #charts = new Map<string, Chart>();

  constructor(fetcher: ArtifactFetcher) {
    this.#fetcher = fetcher;
  }

  /** @throws GitOpsError, HelmError */
  async load(artifact: Artifact, signal: AbortSignal): Promise<Chart> {
    const known = this.#charts.get(artifact.digest);
    const chart = known ?? loadArchive(await this.#fetcher.fetchBytes(artifact, signal));
    this.#charts.delete(artifact.digest);
    this.#charts.set(artifact.digest, chart);
    const [oldest] = this.#charts.keys();
    if (this.#charts.size > keptCharts && oldest !== undefined) this.#charts.delete(oldest);
    return chart;
  }
}

/**
 * A chart of an OCIRepository has its digest behind the version, so that a tag that moved is seen.
 *
 * @throws GitOpsError when the tag is the version of another chart
 */
export function withSourceRevision(
  chart: Chart,
  source: SourceObject & { kind?: string },
): { chart: Chart; digest: string } {
  const revision = source.status?.artifact?.revision ?? '';
  const found = /^(?:(.*)@)?((?:sha256|sha384|sha512):([0-9a-f]+))$/.exec(revision);
  if (found === null || source.kind === 'HelmChart') return { chart, digest: '' };
  const [, tag, digest = '', hash = ''] = found;
  const [plain = ''] = chart.metadata.version.split('+');
  const isVersion = tag !== undefined && /^v?\d+\.\d+\.\d+/.test(tag);
  if (isVersion && tag.replace(/^v/, '').split(/[+_]/)[0] !== plain.replace(/^v/, '')) {
    throw new GitOpsError(
      'WG_GITOPS_CONFIG',
      `artifact revision ${tag} does not match chart version ${chart.metadata.version}`,
    );
  }
  const version = `${plain}+${hash.slice(0, 12)}`;
  return { chart: { ...chart, metadata: { ...chart.metadata, version } }, digest };
}
