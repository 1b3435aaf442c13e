import type { CommandNetwork, PulledChart } from '@waygate/helm';
import type { SharedInformer } from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import type { HelmRepository } from '../api/helm-objects.ts';
import { ChartRepository, type ChartSizes } from './chart-repository.ts';
import type { SourceSecrets } from './source-secrets.ts';

interface DependencyOptions {
  /** Of the chart: only repositories of its own namespace lend it their credentials. */
  readonly namespace: string;
  readonly repositories: SharedInformer<KubeObject> | undefined;
  readonly secrets: SourceSecrets;
  readonly sizes: ChartSizes;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/**
 * Where charts that another one depends on are fetched: as a HelmRepository with that address says, or without
 * credentials where there is none.
 */
export function dependencyNetwork(options: DependencyOptions): CommandNetwork {
  const { secrets, sizes, now, signal } = options;
  const open = (url: string, type: 'default' | 'oci') =>
    ChartRepository.open(repositoryFor(url, type, options), secrets, signal, sizes);
  const inRegistry = async <T>(
    repository: string,
    ask: (registry: ReturnType<ChartRepository['registryOf']>) => Promise<T>,
  ): Promise<T> => {
    const opened = await open(repository, 'oci');
    const registry = opened.registryOf(relativeTo(opened.url.href, repository), now);
    try {
      return await ask(registry);
    } finally {
      registry.close();
    }
  };
  return {
    fetch: async (url) => {
      const repository = await open(url, 'default');
      const isIndex = url === new URL('index.yaml', repository.url).href;
      const data = isIndex ? repository.index(signal) : repository.chart(url, '', signal);
      return { status: 200, data: await data };
    },
    listTags: (repository) => inRegistry(repository, (registry) => registry.tags(signal)),
    pullChart: (reference): Promise<PulledChart> => {
      const [, repository = reference, separator = '', version = ''] =
        /^(oci:\/\/[^/]+\/[^@:]+)([@:]?)(.*)$/.exec(reference) ?? [];
      return inRegistry(repository, async (registry) => {
        const digest = await registry.digestOf(version, signal);
        const data = await sizes.pull(registry, digest, signal);
        const shown = `${repository.slice('oci://'.length)}${separator}${version}`;
        return { reference: shown, digest, data };
      });
    },
  };
}

/** The HelmRepository with the longest address that the URL is under; one without credentials if there is none. */
function repositoryFor(
  url: string,
  type: 'default' | 'oci',
  { namespace, repositories }: DependencyOptions,
): HelmRepository {
  const all = (repositories?.indexer.list() ?? []) as HelmRepository[];
  const base = ({ spec }: HelmRepository) => `${spec.url.replace(/\/$/, '')}/`;
  const known = all
    .filter(({ metadata, spec }) => {
      return metadata.namespace === namespace && (spec.type ?? 'default') === type;
    })
    .filter((each) => url.startsWith(base(each)))
    .sort((a, b) => base(b).length - base(a).length);
  return (
    known[0] ?? {
      metadata: { namespace, name: '' },
      spec: { url: url.slice(0, url.lastIndexOf('/')), type, interval: '1m' },
    }
  );
}

function relativeTo(base: string, url: string): string {
  return url.slice(base.length);
}
