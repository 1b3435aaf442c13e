import { createHash } from 'node:crypto';
import { type HttpTls, readBody, redirecting, sleep, targetOf } from '@waygate/text';
import type { HelmRepository } from '../api/helm-objects.ts';
import { GitOpsError } from '../gitops-error.ts';
import { OutgoingClient } from '../http/outgoing-client.ts';
import { tlsSettingsOf } from '../http/tls-secret.ts';
import { DockerConfig } from '../oci/docker-config.ts';
import { parseManifest } from '../oci/oci-manifest.ts';
import { parseOciUrl } from '../oci/oci-reference.ts';
import { RegistryClient } from '../oci/registry-client.ts';
import { authenticated } from './source-failure.ts';
import type { SourceSecrets } from './source-secrets.ts';

const chartLayer = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';

/** How much is read of what strangers offer. */
export interface ChartSizeLimits {
  /** Larger than any public index. 50 MiB. */
  readonly indexBytes: number | undefined;
  /** Of a packed chart. 10 MiB. */
  readonly chartBytes: number | undefined;
  /** Of one file in it. 5 MiB. */
  readonly fileBytes: number | undefined;
}

/** Reads no more of charts than it may. */
export class ChartSizes {
  readonly indexBytes: number;
  readonly chartBytes: number;
  readonly fileBytes: number;

  constructor(given: Partial<ChartSizeLimits> = {}) {
    this.indexBytes = given.indexBytes ?? 50 * 1024 * 1024;
    this.chartBytes = given.chartBytes ?? 10 * 1024 * 1024;
    this.fileBytes = given.fileBytes ?? 5 * 1024 * 1024;
  }

  /** The packed chart of an artifact. @throws Error when it holds none */
  async pull(registry: RegistryClient, digest: string, signal: AbortSignal): Promise<Uint8Array> {
    const manifest = parseManifest(await registry.manifest(digest, signal));
    const layers = manifest.kind === 'image' ? manifest.layers : [];
    const layer = layers.find(({ mediaType }) => mediaType === chartLayer);
    if (layer === undefined) throw new Error('the artifact holds no chart');
    return registry.blob(layer, this.chartBytes, signal);
  }
}

/** What it takes to be let into a repository. */
interface RepositoryAccess {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly docker: DockerConfig;
  readonly tls: HttpTls;
}

/** A HelmRepository over the network: its index, and the charts that it leads to. */
export class ChartRepository {
  readonly url: URL;
  readonly #object: HelmRepository;
  readonly #access: RepositoryAccess;
  readonly #sizes: ChartSizes;

  private constructor(object: HelmRepository, access: RepositoryAccess, sizes: ChartSizes) {
    this.#object = object;
    this.#access = access;
    this.#sizes = sizes;
    this.url = new URL(object.spec.url.endsWith('/') ? object.spec.url : `${object.spec.url}/`);
  }

  /** @throws SourceFailure `AuthenticationFailed` */
  static async open(
    object: HelmRepository,
    secrets: SourceSecrets,
    signal: AbortSignal,
    sizes: ChartSizes,
  ): Promise<ChartRepository> {
    const { spec, metadata } = object;
    const { namespace = '' } = metadata;
    const prefix = 'failed to get authentication options: ';
    const access = await authenticated(prefix, async (): Promise<RepositoryAccess> => {
      const secret = await secrets.read(namespace, spec.secretRef?.name, signal);
      const certificates = await secrets.read(namespace, spec.certSecretRef?.name, signal);
      const tls =
        certificates === undefined
          ? spec.insecure === true
            ? { isUnverified: true }
            : {}
          : tlsSettingsOf(certificates, spec.certSecretRef?.name ?? '');
      const { username, password } = secret ?? {};
      if (spec.type !== 'oci' && secret !== undefined && !(username && password)) {
        const name = spec.secretRef?.name;
        throw new GitOpsError(
          'WG_GITOPS_AUTH',
          `invalid '${namespace}/${name}' secret data: required fields 'username' and 'password'`,
        );
      }
      return { username, password, tls, docker: DockerConfig.of(secret ? [secret] : []) };
    });
    return new ChartRepository(object, access, sizes);
  }

  /** @throws GitOpsError */
  index(signal: AbortSignal): Promise<Uint8Array> {
    return this.#get(new URL('index.yaml', this.url), this.#sizes.indexBytes, signal);
  }

  /** An archive that the index names, checked against the digest that it promised. */
  async chart(address: string, digest: string, signal: AbortSignal): Promise<Uint8Array> {
    const url = new URL(address, this.url);
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      throw new GitOpsError('WG_GITOPS_CONFIG', `scheme "${url.protocol}" not supported`);
    }
    const bytes = await this.#get(url, this.#sizes.chartBytes, signal);
    const wanted = digest.replace(/^sha256:/, '');
    if (wanted !== '' && createHash('sha256').update(bytes).digest('hex') !== wanted) {
      throw new GitOpsError(
        'WG_GITOPS_DIGEST',
        `the chart is not what the index promised: digest '${digest}'`,
      );
    }
    return bytes;
  }

  /** The registry of a chart, for a repository of type `oci`. The caller closes it. */
  registryOf(chart: string, now: () => number): RegistryClient {
    const name = parseOciUrl(`${this.#object.spec.url.replace(/\/$/, '')}/${chart}`);
    const { docker, tls, username, password } = this.#access;
    const credentials =
      username !== undefined && password !== undefined
        ? ({ kind: 'password', username, password } as const)
        : docker.credentialsFor(name.registry, name.repository);
    return new RegistryClient({
      client: new OutgoingClient({ tls }),
      name,
      credentials,
      isInsecure: this.#object.spec.insecure === true,
      now,
      sleep: async (ms, signal) => void (await sleep(ms, signal)),
    });
  }

  async #get(url: URL, limit: number, signal: AbortSignal): Promise<Uint8Array> {
    const client = new OutgoingClient({ tls: this.#access.tls });
    try {
      const refuse = (why: string, cause?: unknown) =>
        new GitOpsError('WG_GITOPS_HTTP', `failed to fetch ${shown(url)}: ${why}`, { cause });
      const send = redirecting(client.send, { maxHops: 10, allowsPlain: true, refuse });
      const response = await send({
        ...targetOf(url),
        headers: { accept: '*/*', ...this.#credentials(url) },
        signal,
      });
      const bytes = await readBody(response, limit);
      if (response.statusCode === 200) return bytes;
      throw refuse(`${response.statusCode}`);
    } finally {
      client.close();
    }
  }

  /** Only the repository itself gets to know who asks, unless others may, too. */
  #credentials(url: URL): Record<string, string> {
    const { username, password } = this.#access;
    if (username === undefined || password === undefined) return {};
    const isSame = url.origin === this.url.origin;
    if (!isSame && this.#object.spec.passCredentials !== true) return {};
    const pair = Buffer.from(`${username}:${password}`).toString('base64');
    return { authorization: `Basic ${pair}` };
  }
}

/** Without what may be secret. */
function shown({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}
