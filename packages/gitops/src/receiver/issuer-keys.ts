import type { Clock } from '@waygate/runtime';
import {
  discardBody,
  isObject,
  type SignedToken,
  type TokenKey,
  targetOf,
  tokenKeysOf,
  trimEndOf,
} from '@waygate/text';
import { GitOpsError, messageOf } from '../gitops-error.ts';
import { OutgoingClient, readBody } from '../http/outgoing-client.ts';

/** The issuer could not be asked: whoever has a good token may come again. */
export class IssuerUnavailable extends GitOpsError {
  constructor(issuer: string, why: string, cause?: unknown) {
    super('WG_GITOPS_AUTH', `the keys of ${issuer} cannot be had: ${why}`, { cause });
  }
}

interface IssuerKeysOptions {
  readonly clock: Clock;
  /** How long an issuer has for its two answers. 10 s. */
  readonly timeoutMs?: number | undefined;
}

/** What an issuer says of itself. */
interface Issuer {
  readonly algorithms: readonly string[];
  readonly keys: readonly TokenKey[];
}

/** What is known of an issuer, or why nothing is. */
interface Known {
  issuer?: Issuer;
  failure?: IssuerUnavailable;
  /** When `issuer` was found out. */
  foundMs: number;
  /** When it was asked last, in vain or not. */
  askedMs: number;
  asking?: Promise<Issuer>;
  /** Requests that wait for what is asked. */
  waiting: number;
}

/** Keys are taken for good this long, by when those that an issuer took back are forgotten. */
const keptMs = 60 * 60_000;
/** A key that is not there, or an issuer that is away, is not asked for again before. */
const pauseMs = 10_000;
/** Issuers of which keys are kept. */
const mostIssuers = 100;
/** Requests that wait for one issuer: a slow one must not take the places of its neighbours. */
const mostWaiting = 8;
const never = Number.NEGATIVE_INFINITY;
const largestAnswer = 256 * 1024;

/**
 * Finds out by OpenID Connect's discovery which keys an issuer signs with, and keeps them. Issuers are
 * only those that somebody configured; a token chooses among them, and never where to ask.
 */
export class IssuerKeys {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #client = new OutgoingClient();
  readonly #stop = new AbortController();
  /** The one that was used least recently is first. */
  readonly #known = new Map<string, Known>();

  constructor({ clock, timeoutMs = 10_000 }: IssuerKeysOptions) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Whether an issuer signed a token.
   *
   * @throws IssuerUnavailable when that cannot be found out now
   */
  async hasSigned(url: string, token: SignedToken): Promise<boolean> {
    const known = this.#knownOf(url);
    const nowMs = this.#clock.monotonicMs();
    const fresh = nowMs - known.foundMs < keptMs ? known.issuer : undefined;
    // Only one that no known key can have signed is worth a question: the keys may have changed.
    if (fresh?.keys.some((key) => token.isOfKey(key))) return isSignedBy(fresh, token);
    if (nowMs - known.askedMs < pauseMs) {
      if (known.failure !== undefined) throw known.failure;
      return false;
    }
    return isSignedBy(await this.#wait(url, known), token);
  }

  close(): void {
    this.#stop.abort();
    this.#client.close();
  }

  #knownOf(url: string): Known {
    const known = this.#known.get(url) ?? { foundMs: never, askedMs: never, waiting: 0 };
    this.#known.delete(url);
    this.#known.set(url, known);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= mostIssuers) break;
      this.#known.delete(oldest);
    }
    return known;
  }

  /** All who want to know the same wait for one answer. */
  async #wait(url: string, known: Known): Promise<Issuer> {
    if (known.waiting >= mostWaiting)
      throw new IssuerUnavailable(url, 'too many requests wait for it');
    known.waiting += 1;
    try {
      known.asking ??= this.#ask(url, known);
      return await known.asking;
    } finally {
      known.waiting -= 1;
    }
  }

  async #ask(url: string, known: Known): Promise<Issuer> {
    try {
      const issuer = await this.#discover(url);
      known.issuer = issuer;
      known.foundMs = this.#clock.monotonicMs();
      delete known.failure;
      return issuer;
    } catch (error) {
      const failure = new IssuerUnavailable(url, messageOf(error), error);
      known.failure = failure;
      throw failure;
    } finally {
      known.askedMs = this.#clock.monotonicMs();
      delete known.asking;
    }
  }

  async #discover(url: string): Promise<Issuer> {
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(this.#timeoutMs)]);
    const place = `${trimEndOf(url, '/')}/.well-known/openid-configuration`;
    const document = await this.#json(place, signal);
    if (document.issuer !== url) throw new Error('its configuration is that of another issuer');
    const keysUrl = document.jwks_uri;
    if (typeof keysUrl !== 'string' || !URL.canParse(keysUrl))
      throw new Error('its configuration has no jwks_uri');
    // What came safely must not lead to keys that anybody on the way can change.
    if (!/^https?:$/.test(new URL(keysUrl).protocol) || isLessSafe(keysUrl, url))
      throw new Error('its jwks_uri is no https address');
    const { id_token_signing_alg_values_supported: named } = document;
    const algorithms = Array.isArray(named) ? named.filter((one) => typeof one === 'string') : [];
    return {
      algorithms: algorithms.length === 0 ? ['RS256'] : algorithms,
      keys: tokenKeysOf(await this.#json(keysUrl, signal)),
    };
  }

  async #json(url: string, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    const headers = { accept: 'application/json' };
    const response = await this.#client.send({ ...targetOf(new URL(url)), headers, signal });
    if (response.statusCode !== 200) {
      discardBody(response);
      throw new Error(`it answers ${response.statusCode}`);
    }
    const body = await readBody(response, largestAnswer, 'its answer');
    const value: unknown = jsonOf(body.toString('utf8'));
    if (isObject(value)) return value;
    throw new Error('it answers no JSON object');
  }
}

function isSignedBy({ algorithms, keys }: Issuer, token: SignedToken): boolean {
  return algorithms.includes(token.algorithm) && token.isSignedBy(keys);
}

function isLessSafe(url: string, than: string): boolean {
  return than.startsWith('https:') && !url.startsWith('https:');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
