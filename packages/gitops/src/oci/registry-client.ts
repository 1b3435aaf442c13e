import { createHash } from 'node:crypto';
import {
  discardBody,
  type HttpResponse,
  headerOf,
  redirecting,
  retrying,
  type Send,
  targetOf,
} from '@waygate/text';
import { GitOpsError } from '../gitops-error.ts';
import {
  type OutgoingClient,
  type OutgoingRequest,
  readBody,
  UnreachableError,
} from '../http/outgoing-client.ts';
import { transientRetry } from '../http/transient-retry.ts';
import type { RegistryCredentials } from './docker-config.ts';
import {
  allowsPlainHttp,
  digestPattern,
  isLoopback,
  type OciRepositoryName,
} from './oci-reference.ts';
import { registryError } from './registry-error.ts';
import { basic, type Challenge, fetchToken, parseChallenge, type Token } from './registry-token.ts';

interface RegistryClientOptions {
  readonly client: OutgoingClient;
  readonly name: OciRepositoryName;
  readonly credentials?: RegistryCredentials | undefined;
  /** The user allows a connection that others can read. */
  readonly isInsecure?: boolean | undefined;
  readonly now: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** The bytes of a manifest, and their digest. */
export interface FetchedManifest {
  readonly bytes: Buffer;
  readonly digest: string;
  readonly mediaType: string;
}

const manifestTypes = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];

const maxManifestBytes = 4 * 1024 * 1024;
const maxTagPages = 1000;
/** There is nobody, or nobody who knows TLS. */
const speaksNoTls = /connection refused$|: EOF$|HTTP response to HTTPS client$/;

/**
 * One repository of a registry. What it learned of the registry, and a token that still holds, are
 * kept: the next question is one request.
 *
 * ```ts
 * const registry = new RegistryClient({
 *   client: new OutgoingClient(),
 *   name: parseOciUrl('oci://ghcr.io/acme/app'),
 *   now: Date.now,
 *   sleep: async (ms, ended) => void (await sleep(ms, ended)),
 * });
 * const digest = await registry.digestOf('latest', signal);
 * ```
 */
export class RegistryClient {
  readonly #options: RegistryClientOptions;
  #base: URL | undefined;
  #challenge: Challenge | undefined;
  #token: Token | undefined;
  /** Every question here can be asked twice. */
  readonly #send: Send<OutgoingRequest>;
  /** Goes where the registry sends, which is often to a store of blobs. */
  readonly #follow: Send<OutgoingRequest>;

  constructor(options: RegistryClientOptions) {
    this.#options = options;
    this.#send = retrying(options.client.send, transientRetry(100, options.sleep));
    this.#follow = redirecting(this.#send, {
      maxHops: 5,
      allowsPlain: options.isInsecure,
      refuse: (why) => new GitOpsError('WG_GITOPS_HTTP', `the registry ${why}`),
    });
  }

  close(): void {
    this.#options.client.close();
  }

  /** The digest of what a tag names now. */
  async digestOf(tag: string, signal: AbortSignal): Promise<string> {
    const path = this.#manifestPath(tag);
    const headers = { accept: manifestTypes.join(', ') };
    const response = await this.#ask('HEAD', path, headers, signal);
    discardBody(response);
    const digest = response.headers['docker-content-digest'];
    if (response.statusCode === 200 && typeof digest === 'string' && digestPattern.test(digest)) {
      return digest;
    }
    // A HEAD has no words; some registries do not know it, and some name no digest.
    return (await this.manifest(tag, signal)).digest;
  }

  /** A manifest or an index, by tag or digest. */
  async manifest(reference: string, signal: AbortSignal): Promise<FetchedManifest> {
    const path = this.#manifestPath(reference);
    const headers = { accept: manifestTypes.join(', ') };
    const response = await this.#ask('GET', path, headers, signal);
    if (response.statusCode !== 200) throw await registryError('GET', this.#urlOf(path), response);
    const bytes = await readBody(response, maxManifestBytes, 'the manifest');
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    if (digestPattern.test(reference) && digest !== reference) {
      throw new GitOpsError(
        'WG_GITOPS_DIGEST',
        `manifest digest: "${digest}" does not match requested digest: "${reference}"`,
      );
    }
    const mediaType =
      (headerOf(response.headers, 'content-type') ?? '').split(';')[0]?.trim() ?? '';
    return { bytes, digest, mediaType };
  }

  /** All tags, page by page. */
  async tags(signal: AbortSignal): Promise<string[]> {
    const tags: string[] = [];
    let path: string | undefined = `/v2/${this.#options.name.repository}/tags/list?n=1000`;
    for (let page = 0; path !== undefined; page++) {
      if (page >= maxTagPages) throw new GitOpsError('WG_GITOPS_HTTP', 'there are too many tags');
      const response: HttpResponse = await this.#ask('GET', path, {}, signal);
      if (response.statusCode !== 200)
        throw await registryError('GET', this.#urlOf(path), response);
      const text = (await readBody(response, maxManifestBytes, 'the list of tags')).toString();
      tags.push(...tagsIn(text));
      path = this.#nextPage(headerOf(response.headers, 'link'));
    }
    return tags;
  }

  /** A blob, checked against its digest. */
  async blob(
    { digest, size }: { readonly digest: string; readonly size?: number | undefined },
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<Buffer> {
    if (!digestPattern.test(digest)) {
      throw new GitOpsError(
        'WG_GITOPS_DIGEST',
        `the digest '${digest.slice(0, 100)}' is not supported`,
      );
    }
    const path = `/v2/${this.#options.name.repository}/blobs/${digest}`;
    const response = await this.#ask('GET', path, {}, signal);
    if (response.statusCode !== 200) throw await registryError('GET', this.#urlOf(path), response);
    const limit = Math.min(maxBytes, size ?? maxBytes);
    const bytes = await readBody(response, limit, 'the layer');
    const actual = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    if (actual !== digest || (size !== undefined && bytes.length !== size)) {
      const why = `error verifying sha256 checksum after reading ${bytes.length} bytes`;
      throw new GitOpsError('WG_GITOPS_DIGEST', `${why}; got "${actual}", want "${digest}"`);
    }
    return bytes;
  }

  #manifestPath(reference: string): string {
    return `/v2/${this.#options.name.repository}/manifests/${reference}`;
  }

  #urlOf(path: string): URL {
    return new URL(path, this.#base);
  }

  /** Asks with what the registry wants to see of us, and once more when that has changed. */
  async #ask(
    method: 'GET' | 'HEAD',
    path: string,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<HttpResponse> {
    if (this.#base === undefined) await this.#meet(signal);
    for (let attempt = 0; ; attempt++) {
      const authorization = await this.#authorization(signal);
      const all = { ...headers, ...(authorization === undefined ? {} : { authorization }) };
      const request = { method, ...targetOf(this.#urlOf(path)), headers: all, signal };
      const response = await this.#follow(request);
      if (response.statusCode !== 401 || attempt > 0) return response;
      const challenge = parseChallenge(headerOf(response.headers, 'www-authenticate'));
      if (challenge === undefined) return response;
      if (this.#challenge !== undefined && this.#token === undefined) return response;
      discardBody(response);
      this.#challenge = challenge;
      this.#token = undefined;
    }
  }

  /** Finds out how the registry is spoken to: with TLS first, and only then, where it is allowed, without. */
  async #meet(signal: AbortSignal): Promise<void> {
    const { name, isInsecure = false } = this.#options;
    const mayBePlain = isInsecure || allowsPlainHttp(name.registry);
    const problems: string[] = [];
    for (const scheme of mayBePlain ? ['https', 'http'] : ['https']) {
      const base = new URL(`${scheme}://${name.registry}/`);
      const url = new URL('/v2/', base);
      try {
        const response = await this.#send({ ...targetOf(url), signal });
        if (response.statusCode !== 200 && response.statusCode !== 401) {
          throw await registryError('GET', url, response);
        }
        discardBody(response);
        this.#challenge = parseChallenge(headerOf(response.headers, 'www-authenticate'));
        this.#base = base;
        return;
      } catch (error) {
        if (!(error instanceof UnreachableError)) throw error;
        problems.push(error.message);
        // Somebody whose certificate is not trusted is not asked again without one.
        if (!speaksNoTls.test(error.message)) break;
      }
    }
    throw new GitOpsError('WG_GITOPS_HTTP', problems.join('; '));
  }

  async #authorization(signal: AbortSignal): Promise<string | undefined> {
    const { client, name, now } = this.#options;
    const challenge = this.#challenge;
    if (challenge === undefined) return undefined;
    const credentials = this.#usableCredentials();
    if (credentials?.kind === 'registryToken') return `Bearer ${credentials.token}`;
    if (challenge.kind === 'basic') {
      return credentials?.kind === 'password' ? basic(credentials) : undefined;
    }
    if (this.#token === undefined || this.#token.expiresMs <= now()) {
      const allowsPlain = this.#allowsPlainCredentials();
      const { repository } = name;
      this.#token = await fetchToken({
        client,
        challenge,
        repository,
        credentials,
        allowsPlain,
        signal,
        now,
      });
    }
    return this.#token.authorization;
  }

  /** @throws GitOpsError when the only way to use them would show them to others */
  #usableCredentials(): RegistryCredentials | undefined {
    const { credentials } = this.#options;
    if (credentials === undefined) return undefined;
    if (this.#base?.protocol === 'https:' || this.#allowsPlainCredentials()) return credentials;
    throw new GitOpsError(
      'WG_GITOPS_AUTH',
      `the registry '${this.#options.name.registry}' does not speak TLS: it gets no credentials unless spec.insecure is true`,
    );
  }

  #allowsPlainCredentials(): boolean {
    const { name, isInsecure = false } = this.#options;
    return isInsecure || isLoopback(name.registry);
  }

  #nextPage(link = ''): string | undefined {
    const found = /^<([^>]{1,2048})>\s*;[^,]*\brel="?next"?/.exec(link);
    if (found === null) {
      if (!/\brel="?next\b/.test(link)) return undefined;
      throw new GitOpsError('WG_GITOPS_HTTP', 'the list of tags does not say how it goes on');
    }
    const url = new URL(found[1] ?? '', this.#base);
    // A page elsewhere would be asked for with our token; without it the list is not whole.
    if (url.origin !== this.#base?.origin) {
      const message = `the list of tags goes on at another server, '${url.host}'`;
      throw new GitOpsError('WG_GITOPS_HTTP', message);
    }
    return `${url.pathname}${url.search}`;
  }
}

function tagsIn(text: string): string[] {
  try {
    const { tags } = JSON.parse(text) as { tags?: unknown };
    if (tags === null || tags === undefined) return [];
    if (Array.isArray(tags) && tags.every((one) => typeof one === 'string')) return tags;
  } catch {
    // Said below.
  }
  throw new GitOpsError('WG_GITOPS_HTTP', 'the list of tags cannot be read');
}
