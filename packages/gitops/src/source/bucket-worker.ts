import type { Clock } from '@waygate/runtime';
import type { AwsKeys } from '@waygate/text';
import type { Bucket, SourceStatus } from '../api/source-objects.ts';
import type { ArtifactStorage } from '../artifact/artifact-storage.ts';
import { compareWalkOrder, type FileEntry } from '../artifact/file-entry.ts';
import { type ListedFile, lostMost } from '../artifact/file-list.ts';
import { orderedPrefetch } from '../bucket/ordered-prefetch.ts';
import { type FetchedObject, type ListedObject, S3Client, S3Error } from '../bucket/s3-client.ts';
import { GitOpsError, messageOf } from '../gitops-error.ts';
import { OutgoingClient } from '../http/outgoing-client.ts';
import { proxyUrlOf } from '../http/proxy-secret.ts';
import { tlsSettingsOf } from '../http/tls-secret.ts';
import { ignoreFile, SourceIgnore } from '../ignore/source-ignore.ts';
import { durationMs } from '../interval.ts';
import { bucketRevision } from './bucket-revision.ts';
import { authenticated, SourceFailure, storageFailure } from './source-failure.ts';
import type { SourcePass } from './source-pass.ts';
import type { SourceOutcome, SourceWorker } from './source-reconciler.ts';
import type { SourceSecrets } from './source-secrets.ts';

interface BucketLimits {
  readonly maxObjects: number;
  readonly maxObjectBytes: number;
  readonly maxBytes: number;
}

const defaultBucketLimits: BucketLimits = {
  maxObjects: 100_000,
  maxObjectBytes: 64 * 1024 * 1024,
  maxBytes: 512 * 1024 * 1024,
};

interface BucketWorkerOptions {
  readonly secrets: SourceSecrets;
  readonly storage: ArtifactStorage;
  readonly clock: Clock;
  readonly limits?: BucketLimits | undefined;
  /** Objects that are fetched at a time. 8. */
  readonly concurrency?: number | undefined;
}

/** An object of a bucket, and the path that it has in the artifact. */
interface IndexedObject extends ListedObject {
  readonly path: string;
}

/** What a bucket offers. */
interface BucketIndex {
  readonly objects: readonly IndexedObject[];
  /** The file that says what to ignore, if there is one. */
  readonly rules: Buffer | undefined;
}

/** Keeps the artifact of a Bucket at what is in it. */
export class BucketWorker implements SourceWorker<Bucket, SourceStatus> {
  readonly kind = 'Bucket';
  readonly #options: BucketWorkerOptions;
  readonly #limits: BucketLimits;

  constructor(options: BucketWorkerOptions) {
    this.#options = options;
    this.#limits = options.limits ?? defaultBucketLimits;
  }

  async update(object: Bucket, pass: SourcePass, signal: AbortSignal): Promise<SourceOutcome> {
    const { spec } = object;
    refuseUnsupported(object);
    const timed = AbortSignal.any([signal, AbortSignal.timeout(durationMs(spec.timeout, 60_000))]);
    const outgoing = await this.#outgoing(object, signal);
    try {
      const bucket = await this.#bucket(object, outgoing, signal);
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#updateFrom(object, pass, bucket, timed);
        } catch (error) {
          // What was deleted after it was listed is no longer listed: then there is another listing.
          if (!(error instanceof ChangedMeanwhile) || attempt >= maxListings) throw error;
        }
      }
    } finally {
      outgoing.close();
    }
  }

  async #updateFrom(
    object: Bucket,
    pass: SourcePass,
    bucket: S3Client,
    signal: AbortSignal,
  ): Promise<SourceOutcome> {
    const { spec } = object;
    const index = await this.#index(object, bucket, signal);
    const count = index.objects.length;
    const revision = revisionOf(index.objects);
    const event = `stored artifact with ${count} fetched files from '${spec.bucketName}' bucket`;
    if (pass.status.artifact?.revision === revision) {
      const message = `artifact up-to-date with remote revision: '${revision}'`;
      const unchanged = { reason: 'ArtifactUpToDate', message };
      return { stored: storedText(revision), event, unchanged };
    }
    pass.outdate('NewRevision', `new upstream revision '${revision}'`);
    // So much less is looked at twice: a server that is itself not whole shows less of it, for a while.
    if (lostMost(pass.status.artifact, count)) {
      const again = await this.#index(object, bucket, signal);
      if (revisionOf(again.objects) !== revision) throw changed('what is listed');
    }
    const actual = await this.#publish(object, pass, bucket, index, signal);
    return { stored: storedText(actual), event };
  }

  explain(error: unknown): SourceFailure {
    const disk = storageFailure(error);
    if (disk !== undefined) return disk;
    const message = messageOf(error);
    const code = error instanceof GitOpsError ? error.code : undefined;
    if (code === 'WG_GITOPS_ARCHIVE') {
      return new SourceFailure('StorageOperationFailed', 'ArchiveOperationFailed', message, {
        cause: error,
      });
    }
    return new SourceFailure('FetchFailed', 'BucketOperationFailed', message, { cause: error });
  }

  async forget(): Promise<void> {
    // Nothing is kept between passes.
  }

  async #outgoing({ spec, metadata }: Bucket, signal: AbortSignal): Promise<OutgoingClient> {
    const { secrets } = this.#options;
    const { namespace = '' } = metadata;
    const certificates = spec.certSecretRef?.name;
    const proxy = await authenticated('failed to get proxy URL: ', async () =>
      proxyUrlOf(await secrets.read(namespace, spec.proxySecretRef?.name, signal)),
    );
    const tls = await authenticated('failed to get TLS config: ', async () =>
      tlsSettingsOf(await secrets.read(namespace, certificates, signal), certificates ?? ''),
    );
    return new OutgoingClient({ tls, proxy });
  }

  async #bucket(
    { spec, metadata }: Bucket,
    client: OutgoingClient,
    signal: AbortSignal,
  ): Promise<S3Client> {
    const { secrets, clock } = this.#options;
    const name = spec.secretRef?.name;
    const keys = await authenticated('', async () =>
      keysOf(await secrets.read(metadata.namespace ?? '', name, signal), name ?? ''),
    );
    return new S3Client({
      client,
      endpoint: spec.endpoint,
      bucket: spec.bucketName,
      isPlain: spec.insecure === true,
      region: spec.region === '' ? undefined : spec.region,
      keys,
      now: () => clock.now(),
      sleep: async (ms, until) => void (await clock.sleep(ms, until)),
    });
  }

  /** What is in the bucket and not ignored. */
  async #index({ spec }: Bucket, bucket: S3Client, signal: AbortSignal): Promise<BucketIndex> {
    const listed = await this.#listed(spec.bucketName, bucket, spec.prefix ?? '', signal);
    // Below a prefix the listing does not show whether there is a file with rules.
    const mayHaveRules = (spec.prefix ?? '') !== '' || listed.some(({ key }) => key === ignoreFile);
    let rules: Buffer | undefined;
    if (mayHaveRules) {
      try {
        rules = (await bucket.get(ignoreFile, 4 * 1024 * 1024, signal))?.content;
      } catch (error) {
        throw operationFailed(`failed to get Etag for '${ignoreFile}' object: `, error);
      }
    }
    if (rules === undefined && listed.some(({ key }) => key === ignoreFile)) {
      throw changed(`'${ignoreFile}'`);
    }
    const ignore = SourceIgnore.forBucket(rules?.toString('utf8') ?? '', spec.ignore);
    const objects: IndexedObject[] = [];
    for (const one of listed) {
      if (one.key === ignoreFile || ignore.isObjectIgnored(one.key)) continue;
      objects.push({ ...one, path: pathOf(one.key) });
    }
    this.#checkLimits(objects);
    return { objects, rules };
  }

  async #listed(
    name: string,
    bucket: S3Client,
    prefix: string,
    signal: AbortSignal,
  ): Promise<ListedObject[]> {
    const all: ListedObject[] = [];
    let isFirst = true;
    try {
      for await (const page of bucket.list(prefix, signal)) {
        isFirst = false;
        all.push(...page);
        if (all.length > 10 * this.#limits.maxObjects)
          throw new Error('there are too many objects');
      }
    } catch (error) {
      if (isFirst && error instanceof S3Error && error.status === 404) {
        throw operationFailed(`bucket '${name}' not found`);
      }
      const doing = isFirst
        ? `failed to confirm existence of '${name}' bucket: `
        : `indexation of objects from bucket '${name}' failed: `;
      throw operationFailed(doing, error);
    }
    return all;
  }

  #checkLimits(index: readonly IndexedObject[]): void {
    const { maxObjects, maxObjectBytes, maxBytes } = this.#limits;
    if (index.length > maxObjects) {
      throw operationFailed(`the bucket has more than ${maxObjects} objects`);
    }
    const paths = new Set<string>();
    let total = 0;
    for (const { key, path, size } of index) {
      if (paths.has(path)) throw operationFailed(`two objects of the bucket are '${path}'`);
      paths.add(path);
      if (size > maxObjectBytes) {
        throw operationFailed(`the object '${key}' is larger than ${maxObjectBytes} bytes`);
      }
      total += size;
    }
    if (total > maxBytes) throw operationFailed(`the bucket is larger than ${maxBytes} bytes`);
    for (const { key, path } of index) {
      for (let slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1)) {
        if (!paths.has(path.slice(0, slash))) continue;
        throw operationFailed(`'${path.slice(0, slash)}' is an object, and '${key}' is below it`);
      }
    }
  }

  /**
   * Fetches and archives. Objects that change meanwhile are taken as they are then. One that is gone
   * is not passed over: what is left would be no state that the bucket was ever seen in.
   */
  async #publish(
    { spec, metadata }: Bucket,
    pass: SourcePass,
    bucket: S3Client,
    { objects, rules }: BucketIndex,
    signal: AbortSignal,
  ): Promise<string> {
    const { storage, concurrency = 8 } = this.#options;
    const { maxObjectBytes } = this.#limits;
    const { name = '', namespace = '' } = metadata;
    const actual = new Map(objects.map((one) => [one.key, one]));
    const ordered = [
      ...objects.map(({ key, path }) => ({ key, path, content: undefined })),
      // It is in the artifact, but a change of it alone is no new revision.
      ...(rules === undefined ? [] : [{ key: ignoreFile, path: ignoreFile, content: rules }]),
    ].sort((left, right) => compareWalkOrder(left.path, right.path));
    async function* files(): AsyncGenerator<FileEntry> {
      const fetched = orderedPrefetch(ordered, concurrency, async ({ key, path, content }) => {
        if (content !== undefined) return { path, content };
        const listed = actual.get(key) as IndexedObject;
        try {
          const found = await bucket.get(key, maxObjectBytes, signal);
          if (found === undefined) throw changed(`'${key}'`);
          checkLength(listed, found);
          const { etag, content: bytes } = found;
          actual.set(key, { ...listed, etag: etag || listed.etag, size: bytes.length });
          return { path, content: bytes };
        } catch (error) {
          if (error instanceof ChangedMeanwhile) throw error;
          throw operationFailed(
            `fetch from bucket '${spec.bucketName}' failed: failed to get '${key}' object: `,
            error,
          );
        }
      });
      for await (const file of fetched) yield { ...file, isExecutable: false };
    }
    const owner = { kind: this.kind, namespace, name };
    const artifact = await storage.publishAs(owner, files(), () => {
      const all = [...actual.values()];
      const revision = revisionOf(all);
      const expected: ListedFile[] = [...all];
      if (rules !== undefined) expected.push({ path: ignoreFile, size: rules.length });
      return { revision, file: revision.slice('sha256:'.length), expected };
    });
    const { status } = pass;
    status.artifact = artifact;
    status.url = await storage.link(artifact);
    delete status.observedIgnore;
    if (spec.ignore !== undefined) status.observedIgnore = spec.ignore;
    return artifact.revision;
  }
}

/** How often a bucket that changes while it is read is listed, before it is left for the next time. */
const maxListings = 3;

/** What was listed is no longer so. */
class ChangedMeanwhile extends SourceFailure {}

function changed(what: string): ChangedMeanwhile {
  const message = `${what} of the bucket changed while it was read`;
  return new ChangedMeanwhile('FetchFailed', 'BucketOperationFailed', message);
}

function revisionOf(objects: readonly IndexedObject[]): string {
  return bucketRevision(new Map(objects.map(({ key, etag }) => [key, etag])));
}

/** The same object has the same length; of another one, the server must have said where it ends. */
function checkLength(listed: IndexedObject, { etag, content, isCounted }: FetchedObject): void {
  if (content.length === listed.size || (isCounted && etag !== '' && etag !== listed.etag)) return;
  throw operationFailed(`it has ${content.length} bytes, and was listed with ${listed.size}`);
}

function storedText(revision: string): string {
  return `stored artifact: revision '${revision}'`;
}

/**
 * Where an object stands in the artifact. A key with steps in it leads elsewhere, in the artifact as
 * in a URL: then nothing of the bucket is taken.
 */
function pathOf(key: string): string {
  const parts = key.split('/').filter((part) => part !== '');
  const hasSteps = parts.some((part) => part === '.' || part === '..');
  if (parts.length === 0 || hasSteps || /[\\\0]/.test(key)) {
    throw operationFailed(`the key '${key.slice(0, 200)}' leads out of the bucket`);
  }
  return parts.join('/');
}

function keysOf(
  secret: Readonly<Record<string, string>> | undefined,
  name: string,
): AwsKeys | undefined {
  if (secret === undefined) return undefined;
  const { accesskey: accessKey = '', secretkey: secretKey = '' } = secret;
  if (accessKey !== '' && secretKey !== '') return { accessKey, secretKey };
  throw new Error(`invalid '${name}' secret data: required fields 'accesskey' and 'secretkey'`);
}

/** What a Bucket asks for that is not there is refused, never passed over. */
function refuseUnsupported({ spec }: Bucket): void {
  const refuse = (reason: string, message: string) =>
    new SourceFailure('FetchFailed', reason, message, { retry: 'never' });
  const { provider = 'generic' } = spec;
  if (provider === 'gcp' || provider === 'azure') {
    const hint = 'use the provider generic with the S3-compatible endpoint of the service';
    const message = `the provider '${provider}' is not supported: ${hint}`;
    throw refuse('InvalidProviderConfiguration', message);
  }
  if (spec.sts !== undefined) {
    const message = `the STS provider '${spec.sts.provider}' is not supported: use a Secret with 'accesskey' and 'secretkey'`;
    throw refuse('InvalidSTSConfiguration', message);
  }
  if (provider === 'aws' && spec.secretRef === undefined) {
    const message =
      "credentials of the machine are not supported for the provider 'aws': use a Secret with 'accesskey' and 'secretkey'";
    throw refuse('InvalidProviderConfiguration', message);
  }
  if (!/^(\[[0-9a-f:.]+\]|[A-Za-z0-9_.-]+)(:\d{1,5})?$/.test(spec.endpoint)) {
    const message = `the endpoint '${spec.endpoint}' is no host, with or without a port`;
    throw refuse('URLInvalid', message);
  }
}

function operationFailed(message: string, error?: unknown): SourceFailure {
  if (error instanceof SourceFailure) return error;
  const disk = storageFailure(error);
  if (disk !== undefined) return disk;
  const text = error === undefined ? message : `${message}${messageOf(error)}`;
  return new SourceFailure('FetchFailed', 'BucketOperationFailed', text, { cause: error });
}
