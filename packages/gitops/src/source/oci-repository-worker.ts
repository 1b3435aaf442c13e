import { createHash } from 'node:crypto';
import type { Clock } from '@waygate/runtime';
import type { HttpTls } from '@waygate/text';
import { equalJson } from '@waygate/text';
import type { Artifact, OciRepository, OciRepositoryStatus } from '../api/source-objects.ts';
import type { ArtifactName, ArtifactStorage } from '../artifact/artifact-storage.ts';
import { compareWalkOrder, type FileEntry } from '../artifact/file-entry.ts';
import { normalized } from '../artifact/file-tree.ts';
import { unpackEntries } from '../artifact/unpack.ts';
import { messageOf } from '../gitops-error.ts';
import { OutgoingClient } from '../http/outgoing-client.ts';
import { proxyUrlOf } from '../http/proxy-secret.ts';
import { tlsSettingsOf } from '../http/tls-secret.ts';
import { ignoreFile, SourceIgnore } from '../ignore/source-ignore.ts';
import { durationMs } from '../interval.ts';
import { DockerConfig } from '../oci/docker-config.ts';
import { childOf, type Descriptor, type OciManifest, parseManifest } from '../oci/oci-manifest.ts';
import { digestPattern, isTag, type OciRepositoryName, parseOciUrl } from '../oci/oci-reference.ts';
import { RegistryClient } from '../oci/registry-client.ts';
import { latestTag } from '../version/latest-tag.ts';
import { verifyOciArtifact } from './oci-verification.ts';
import { authenticated, fetchingAs, SourceFailure, storageFailure } from './source-failure.ts';
import type { SourcePass } from './source-pass.ts';
import type { SourceOutcome, SourceWorker } from './source-reconciler.ts';
import type { SourceSecrets } from './source-secrets.ts';

interface OciRepositoryWorkerOptions {
  readonly secrets: SourceSecrets;
  readonly storage: ArtifactStorage;
  readonly clock: Clock;
  /** The largest layer that is taken. 256 MiB. */
  readonly maxLayerBytes?: number | undefined;
}

type Pass = SourcePass<OciRepositoryStatus>;

/** What a reference of an OCIRepository was found to mean. */
interface ResolvedArtifact {
  readonly digest: string;
  /** `latest@sha256:…`, or the digest alone. */
  readonly revision: string;
  /** `ghcr.io/org/app:latest`. */
  readonly shown: string;
}

/** Keeps the artifact of an OCIRepository at what its reference means. */
export class OciRepositoryWorker implements SourceWorker<OciRepository, OciRepositoryStatus> {
  readonly kind = 'OCIRepository';
  readonly #options: OciRepositoryWorkerOptions;
  /** By object; made anew when anything that it was made of changes. */
  readonly #registries = new Map<string, { made: string; client: RegistryClient }>();

  constructor(options: OciRepositoryWorkerOptions) {
    this.#options = options;
  }

  async update(object: OciRepository, pass: Pass, signal: AbortSignal): Promise<SourceOutcome> {
    const { spec, metadata } = object;
    const timed = AbortSignal.any([signal, AbortSignal.timeout(durationMs(spec.timeout, 60_000))]);
    const name = nameOf(object);
    const registry = await this.#registry(object, name, pass, signal);
    const found = await resolve(object, name, registry, timed);
    const { revision } = found;
    const isNew = pass.status.artifact?.revision !== revision;
    if (isNew) pass.outdate('NewRevision', `new revision '${revision}' for '${found.shown}'`);
    const keysOf = () =>
      this.#options.secrets.read(metadata.namespace ?? '', spec.verify?.secretRef?.name, signal);
    await verifyOciArtifact({ object, pass, isNew, ...found, registry, keysOf, signal: timed });
    const stored = `stored artifact for digest '${revision}'`;
    if (!isNew && isUnchanged(object, pass.status)) {
      const message = `artifact up-to-date with remote revision: '${revision}'`;
      const unchanged = { reason: 'ArtifactUpToDate', message };
      return { stored, event: eventOf(object, pass), unchanged };
    }
    await this.#publish(object, pass, found, registry, timed);
    return { stored, event: eventOf(object, pass) };
  }

  explain(error: unknown): SourceFailure {
    const disk = storageFailure(error);
    if (disk !== undefined) return disk;
    const message = messageOf(error);
    return new SourceFailure('FetchFailed', 'OCIArtifactPullFailed', message, { cause: error });
  }

  async forget({ metadata }: OciRepository): Promise<void> {
    const key = `${metadata.namespace}/${metadata.name}`;
    this.#registries.get(key)?.client.close();
    this.#registries.delete(key);
  }

  /** Ends all connections. */
  close(): void {
    for (const { client } of this.#registries.values()) client.close();
    this.#registries.clear();
  }

  async #registry(
    object: OciRepository,
    name: OciRepositoryName,
    pass: Pass,
    signal: AbortSignal,
  ): Promise<RegistryClient> {
    const { spec, metadata } = object;
    const { namespace = '' } = metadata;
    const config = await this.#pullSecrets(object, pass, signal);
    refuseProvider(object, config);
    const proxy = await authenticated('failed to get proxy address: ', async () =>
      proxyUrlOf(await this.#options.secrets.read(namespace, spec.proxySecretRef?.name, signal)),
    );
    const tls = await authenticated(`failed to generate transport for '${spec.url}': `, () =>
      this.#tlsSettings(object, signal),
    );
    const credentials = config.credentialsFor(name.registry, name.repository);
    const parts = JSON.stringify([name, credentials, tls, proxy?.href, spec.insecure === true]);
    const made = createHash('sha256').update(parts).digest('hex');
    const key = `${namespace}/${metadata.name}`;
    const known = this.#registries.get(key);
    if (known?.made === made) return known.client;
    known?.client.close();
    const { clock } = this.#options;
    const client = new RegistryClient({
      client: new OutgoingClient({ tls, proxy }),
      name,
      credentials,
      isInsecure: spec.insecure === true,
      now: () => clock.now(),
      sleep: async (ms, until) => void (await clock.sleep(ms, until)),
    });
    this.#registries.set(key, { made, client });
    return client;
  }

  async #pullSecrets(
    { spec, metadata }: OciRepository,
    pass: Pass,
    signal: AbortSignal,
  ): Promise<DockerConfig> {
    const { namespace = '' } = metadata;
    const { secrets } = this.#options;
    return authenticated('failed to get credential: ', async () => {
      const names = spec.secretRef === undefined ? [] : [spec.secretRef.name];
      const found: Readonly<Record<string, string>>[] = [];
      for (const one of names) {
        try {
          found.push((await secrets.read(namespace, one, signal)) ?? {});
        } catch (error) {
          pass.note('AuthenticationFailed', `auth secret '${one}' not found`);
          throw error;
        }
      }
      if (spec.serviceAccountName !== undefined && spec.serviceAccountName !== '') {
        for (const one of await secrets.pullSecretNames(
          namespace,
          spec.serviceAccountName,
          signal,
        )) {
          found.push((await secrets.read(namespace, one, signal)) ?? {});
        }
      }
      return DockerConfig.of(found);
    });
  }

  async #tlsSettings({ spec, metadata }: OciRepository, signal: AbortSignal): Promise<HttpTls> {
    const name = spec.certSecretRef?.name;
    if (name === undefined) return spec.insecure === true ? { isUnverified: true } : {};
    const secret = await this.#options.secrets.read(metadata.namespace ?? '', name, signal);
    return tlsSettingsOf(secret, name);
  }

  async #publish(
    object: OciRepository,
    pass: Pass,
    { digest, revision, shown }: ResolvedArtifact,
    registry: RegistryClient,
    signal: AbortSignal,
  ): Promise<void> {
    const { spec, metadata } = object;
    const { storage, maxLayerBytes = 256 * 1024 * 1024 } = this.#options;
    const image = await pulled(spec.url, () => imageOf(registry, digest, shown, signal));
    const layer = layerOf(image.layers, spec.layerSelector?.mediaType);
    const bytes = await layerFailures('failed to extract the first layer from artifact: ', () =>
      registry.blob(layer, maxLayerBytes, signal),
    );
    const { namespace = '', name = '' } = metadata;
    const target = { kind: this.kind, namespace, name, file: digest };
    const facts = Object.keys(image.annotations).length === 0 ? undefined : image.annotations;
    const copied = facts === undefined ? undefined : { ...facts };
    const artifact =
      spec.layerSelector?.operation === 'copy'
        ? await storage.publishBytes(target, revision, bytes, copied)
        : await publishFiles(storage, target, revision, await filesOf(bytes, spec.ignore), copied);
    const { status } = pass;
    status.artifact = artifact;
    status.url = await storage.link(artifact);
    delete status.observedIgnore;
    delete status.observedLayerSelector;
    if (spec.ignore !== undefined) status.observedIgnore = spec.ignore;
    if (spec.layerSelector !== undefined) status.observedLayerSelector = spec.layerSelector;
  }
}

function nameOf({ spec }: OciRepository): OciRepositoryName {
  try {
    return parseOciUrl(spec.url);
  } catch (error) {
    const message = `URL validation failed for '${spec.url}': ${messageOf(error)}`;
    throw new SourceFailure('FetchFailed', 'URLInvalid', message, { retry: 'never', cause: error });
  }
}

/** Those who are given no Secret would have to be known by the cloud that they run in. */
function refuseProvider({ spec }: OciRepository, config: DockerConfig): void {
  const { provider = 'generic' } = spec;
  if (provider === 'generic' || provider === '' || !config.isEmpty) return;
  throw new SourceFailure(
    'FetchFailed',
    'InvalidProviderConfiguration',
    `credentials of the provider '${provider}' are not supported: use a Secret with credentials`,
    { retry: 'never' },
  );
}

async function resolve(
  { spec }: OciRepository,
  name: OciRepositoryName,
  registry: RegistryClient,
  signal: AbortSignal,
): Promise<ResolvedArtifact> {
  const { digest = '', semver = '', semverFilter, tag = '' } = spec.ref ?? {};
  if (digest !== '') {
    if (!digestPattern.test(digest)) throw undetermined(`unsupported digest: ${digest}`);
    return { digest, revision: digest, shown: `${name.shown}@${digest}` };
  }
  let chosen = tag === '' ? 'latest' : tag;
  if (semver !== '') {
    try {
      chosen = latestTag(await registry.tags(signal), semver, semverFilter);
    } catch (error) {
      const message = `failed to determine the artifact tag for '${spec.url}': ${messageOf(error)}`;
      throw new SourceFailure('FetchFailed', 'ReadOperationFailed', message, { cause: error });
    }
  }
  if (!isTag(chosen)) throw undetermined(`the tag '${chosen.slice(0, 200)}' cannot be one`);
  try {
    const found = await registry.digestOf(chosen, signal);
    return { digest: found, revision: `${chosen}@${found}`, shown: `${name.shown}:${chosen}` };
  } catch (error) {
    throw undetermined(messageOf(error), error);
  }
}

function undetermined(why: string, cause?: unknown): SourceFailure {
  const message = `failed to determine artifact digest: ${why}`;
  return new SourceFailure('FetchFailed', 'OCIArtifactPullFailed', message, { cause });
}

function isUnchanged({ spec }: OciRepository, status: OciRepositoryStatus): boolean {
  return (
    (spec.ignore ?? '') === (status.observedIgnore ?? '') &&
    equalJson(spec.layerSelector ?? {}, status.observedLayerSelector ?? {})
  );
}

async function imageOf(
  registry: RegistryClient,
  digest: string,
  shown: string,
  signal: AbortSignal,
): Promise<OciManifest & { kind: 'image' }> {
  let manifest = parseManifest(await registry.manifest(digest, signal));
  if (manifest.kind === 'index') {
    manifest = parseManifest(await registry.manifest(childOf(manifest, shown), signal));
  }
  if (manifest.kind === 'image') return manifest;
  throw new Error(`the index ${shown} has another index in it`);
}

function layerOf(layers: readonly Descriptor[], mediaType: string | undefined): Descriptor {
  const isAny = mediaType === undefined || mediaType === '';
  const found = isAny ? layers[0] : layers.find((layer) => layer.mediaType === mediaType);
  if (found !== undefined) return found;
  throw new SourceFailure(
    'FetchFailed',
    'OCIArtifactLayerOperationFailed',
    isAny || layers.length === 0
      ? 'no layers found in artifact'
      : `failed to find layer with media type '${mediaType}' in artifact`,
  );
}

function publishFiles(
  storage: ArtifactStorage,
  target: ArtifactName,
  revision: string,
  files: readonly FileEntry[],
  metadata: Record<string, string> | undefined,
): Promise<Artifact> {
  const expected = files.map(({ path, content }) => ({ path, size: content.length }));
  return storage.publish(target, revision, files, { metadata, expected });
}

/** The files of a layer that the rules let through, in the order of a walk. */
async function filesOf(layer: Uint8Array, rules: string | undefined): Promise<FileEntry[]> {
  const files = new Map<string, FileEntry>();
  const ignoreTexts = new Map<string, string>();
  await layerFailures('failed to extract layer contents from artifact: ', async () => {
    for await (const entry of unpackEntries(layer)) {
      if (entry.kind !== 'file') continue;
      const path = normalized(entry.path).slice(1);
      files.set(path, { ...entry, path });
      if (path !== ignoreFile && !path.endsWith(`/${ignoreFile}`)) continue;
      const directory = path.slice(0, Math.max(0, path.length - ignoreFile.length - 1));
      ignoreTexts.set(directory, Buffer.from(entry.content).toString('utf8'));
    }
  });
  const selected = await SourceIgnore.forTree({ files: ignoreTexts, rules }).select(files.values());
  return selected.sort((left, right) => compareWalkOrder(left.path, right.path));
}

/** Where it came from is told when the artifact says so itself. */
function eventOf({ spec }: OciRepository, { status }: Pass): string {
  const { revision = '', metadata = {} } = status.artifact ?? {};
  const source = metadata['org.opencontainers.image.source'] ?? '';
  const origin = metadata['org.opencontainers.image.revision'] ?? '';
  const stored = `stored artifact with revision '${revision}' from '${spec.url}'`;
  if (source === '' || origin === '') return stored;
  return `${stored}, origin source '${source}', origin revision '${origin}'`;
}

function pulled<T>(url: string, work: () => Promise<T>): Promise<T> {
  return fetchingAs('OCIArtifactPullFailed', `failed to pull artifact from '${url}': `, work);
}

function layerFailures<T>(prefix: string, work: () => Promise<T>): Promise<T> {
  return fetchingAs('OCIArtifactLayerOperationFailed', prefix, work);
}
