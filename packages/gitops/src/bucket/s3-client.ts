import {
  type AwsKeys,
  awsEncoded,
  awsSignedHeaders,
  type HttpResponse,
  headerOf,
  retrying,
  type Send,
  targetOf,
} from '@waygate/text';
import { GitOpsError } from '../gitops-error.ts';
import { type OutgoingClient, type OutgoingRequest, readBody } from '../http/outgoing-client.ts';
import { transientRetry } from '../http/transient-retry.ts';
import { parseXml, textOf, type XmlElement } from './xml-element.ts';

export interface S3ClientOptions {
  readonly client: OutgoingClient;
  /** The host of the server, with its port. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly isPlain: boolean;
  readonly region: string | undefined;
  /** Without keys nobody is named: for buckets that everyone may read. */
  readonly keys: AwsKeys | undefined;
  readonly now: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** An object of a bucket, as a listing shows it. */
export interface ListedObject {
  readonly key: string;
  readonly etag: string;
  readonly size: number;
}

/** An object as it was when it was read. */
export interface FetchedObject {
  readonly etag: string;
  readonly content: Buffer;
  /** Whether the server said where the content ends; otherwise a cut looks like the end. */
  readonly isCounted: boolean;
}

/** A server answered, and not with what it was asked for. */
export class S3Error extends GitOpsError {
  readonly status: number;
  /** `NoSuchBucket`, `AccessDenied` … */
  readonly errorCode: string;
  /** Where the bucket is, when that is what is wrong. */
  readonly region: string | undefined;

  constructor(status: number, errorCode: string, message: string, region: string | undefined) {
    super('WG_GITOPS_HTTP', message);
    this.status = status;
    this.errorCode = errorCode;
    this.region = region;
  }
}

const maxPageBytes = 16 * 1024 * 1024;

/** Reads one bucket of a server that speaks S3. */
export class S3Client {
  readonly #options: S3ClientOptions;
  readonly #send: Send<OutgoingRequest>;
  #region: string;

  constructor(options: S3ClientOptions) {
    this.#options = options;
    // A signature holds for a few minutes: each try has its own.
    this.#send = retrying(this.#signed(options.client.send), transientRetry(200, options.sleep));
    this.#region = options.region ?? regionIn(options.endpoint) ?? 'us-east-1';
  }

  /** Pages of what is in the bucket, in the order of the keys. */
  async *list(prefix: string, signal: AbortSignal): AsyncGenerator<readonly ListedObject[]> {
    let token: string | undefined;
    const tokens = new Set<string>();
    do {
      const query = new URLSearchParams({ 'encoding-type': 'url', 'list-type': '2' });
      if (prefix !== '') query.set('prefix', prefix);
      if (token !== undefined) query.set('continuation-token', token);
      const response = await this.#ask('', query, signal);
      const text = (await readBody(response, maxPageBytes, 'the listing')).toString('utf8');
      const page = parseXml(text);
      if (page?.name !== 'ListBucketResult') throw unreadable('it is no listing');
      yield objectsIn(page);
      token = nextTokenIn(page);
      // Half a listing is none: what it does not show would be deleted.
      if (token !== undefined && tokens.has(token)) throw unreadable('its pages have no end');
      if (token !== undefined) tokens.add(token);
    } while (token !== undefined);
  }

  /** An object, with the ETag that it has now; undefined when it is not there. */
  async get(
    key: string,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<FetchedObject | undefined> {
    try {
      const response = await this.#ask(key, new URLSearchParams(), signal);
      const { headers } = response;
      const isCounted =
        headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
      const content = await readBody(response, maxBytes, `the object '${key}'`);
      return { etag: trimmedEtag(headerOf(headers, 'etag') ?? ''), content, isCounted };
    } catch (error) {
      if (error instanceof S3Error && error.status === 404 && error.errorCode !== 'NoSuchBucket') {
        return undefined;
      }
      throw error;
    }
  }

  /** Asks where the bucket is, which the server may have to say first. */
  async #ask(key: string, query: URLSearchParams, signal: AbortSignal): Promise<HttpResponse> {
    try {
      return await this.#read(key, query, signal);
    } catch (error) {
      const isElsewhere = error instanceof S3Error && error.region !== undefined;
      if (!isElsewhere || error.region === this.#region) throw error;
      this.#region = error.region as string;
      return this.#read(key, query, signal);
    }
  }

  async #read(key: string, query: URLSearchParams, signal: AbortSignal): Promise<HttpResponse> {
    const response = await this.#send({ ...targetOf(this.#urlOf(key, query)), signal });
    if (response.statusCode === 200) return response;
    throw await errorOf(response);
  }

  #signed(send: Send<OutgoingRequest>): Send<OutgoingRequest> {
    const { keys, now } = this.#options;
    if (keys === undefined) return send;
    return (request) => {
      const url = new URL(`${request.origin}${request.path}`);
      const headers = awsSignedHeaders(
        { method: 'GET', url },
        { keys, region: this.#region, service: 's3', nowMs: now() },
      );
      return send({ ...request, headers });
    };
  }

  #urlOf(key: string, query: URLSearchParams): URL {
    const { endpoint, bucket, isPlain } = this.#options;
    const host = regionalHost(endpoint, this.#region);
    const isHosted = isNamedByHost(endpoint, bucket, isPlain);
    const parts = [...(isHosted ? [] : [bucket]), ...(key === '' ? [] : key.split('/'))];
    const path = parts.map((part) => `/${awsEncoded(part)}`).join('');
    const asked = [...query].map(([name, value]) => `${awsEncoded(name)}=${awsEncoded(value)}`);
    const search = asked.length === 0 ? '' : `?${asked.join('&')}`;
    const origin = `${isPlain ? 'http' : 'https'}://${isHosted ? `${bucket}.` : ''}${host}`;
    return new URL(`${origin}${path === '' ? '/' : path}${search}`);
  }
}

const hostedPattern = /(^|\.)(amazonaws\.com(\.cn)?|aliyuncs\.com|storage\.googleapis\.com)$/;

/** The large clouds want a bucket in the name of the host; others, in the path. */
function isNamedByHost(endpoint: string, bucket: string, isPlain: boolean): boolean {
  if (!hostedPattern.test(endpoint.replace(/:\d+$/, ''))) return false;
  // A certificate for all buckets is none for one with a dot in its name.
  return /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) && (isPlain || !bucket.includes('.'));
}

function regionalHost(endpoint: string, region: string): string {
  return endpoint === 's3.amazonaws.com' && region !== 'us-east-1'
    ? `s3.${region}.amazonaws.com`
    : endpoint;
}

function regionIn(endpoint: string): string | undefined {
  return /^s3[.-]([a-z]{2}(?:-[a-z]+)+-\d)\.amazonaws\.com/.exec(endpoint)?.[1];
}

function objectsIn(page: XmlElement): ListedObject[] {
  const isEncoded = textOf(page, 'EncodingType') === 'url';
  const objects: ListedObject[] = [];
  for (const element of page.children) {
    if (element.name !== 'Contents') continue;
    const key = textOf(element, 'Key') ?? '';
    const size = textOf(element, 'Size') ?? '';
    if (key === '' || !/^\d{1,15}$/.test(size)) throw unreadable('an object has no key or no size');
    objects.push({
      key: isEncoded ? decodedKey(key) : key,
      etag: trimmedEtag(textOf(element, 'ETag') ?? ''),
      size: Number(size),
    });
  }
  const count = Number(textOf(page, 'KeyCount') ?? objects.length);
  const shown = page.children.filter(({ name }) => name === 'CommonPrefixes').length;
  if (objects.length + shown < count) throw unreadable(`it has not all of its ${count} keys`);
  return objects;
}

/** What leads to the next page; undefined on the last one. */
function nextTokenIn(page: XmlElement): string | undefined {
  const isTruncated = (textOf(page, 'IsTruncated') ?? 'false').trim();
  if (isTruncated === 'false') return undefined;
  const token = textOf(page, 'NextContinuationToken') ?? '';
  if (isTruncated !== 'true' || token === '') throw unreadable('it does not say how it goes on');
  return token;
}

function unreadable(why: string): GitOpsError {
  return new GitOpsError('WG_GITOPS_HTTP', `the listing of the bucket cannot be read: ${why}`);
}

function decodedKey(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    throw unreadable(`the key '${key.slice(0, 200)}' is not encoded as it says`);
  }
}

function trimmedEtag(etag: string): string {
  return etag.replace(/^(?:W\/)?"|"$/g, '');
}

async function errorOf(response: HttpResponse): Promise<S3Error> {
  const { statusCode: status, statusMessage, headers } = response;
  const text = (await readBody(response, 65_536, 'the answer').catch(() => '')).toString();
  const error = parseXml(text);
  const code = (error === undefined ? undefined : textOf(error, 'Code')) ?? '';
  const said = (error === undefined ? undefined : textOf(error, 'Message')) ?? '';
  const named = headers['x-amz-bucket-region'];
  const region =
    typeof named === 'string' ? named : error === undefined ? undefined : textOf(error, 'Region');
  const isRegion = region !== undefined && /^[a-z0-9-]{1,40}$/.test(region);
  const message = (said || `${status} ${statusMessage}`.trim()).slice(0, 1000);
  return new S3Error(status, code, message, isRegion ? region : undefined);
}
