import { X509Certificate } from 'node:crypto';
import type { AccountKey } from './account-key.ts';

/** Who asks an authority, and how it is to be reached. */
interface AcmeAccount {
  /** The address of the authority's directory. */
  readonly directory: string;
  readonly email: string;
  readonly key: AccountKey;
  readonly isTermsAgreed: boolean;
  /** Known already from an earlier time. */
  readonly url?: string | undefined;
  readonly binding?: { readonly keyId: string; readonly secret: string } | undefined;
}

/** What is asked for. */
interface AcmeOrder {
  readonly host: string;
  /** DER in base64url. */
  readonly request: string;
  /** The name of the authority at the root of the chain that is wanted, if there are several. */
  readonly preferredChain?: string | undefined;
  /** Has clients of the host find this answer under the token. */
  publish(token: string, answer: string): Promise<void>;
}

interface Directory {
  readonly newNonce: string;
  readonly newAccount: string;
  readonly newOrder: string;
}

interface Reply {
  readonly headers: Headers;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const requestMs = 30_000;
const mostReplyBytes = 1_024 * 1_024;
/** With a second or more between two looks, an authority has minutes to make up its mind. */
const mostLooks = 60;
const longestPauseMs = 10_000;

/** Gets certificates from an authority, as RFC 8555 has it, with challenges over HTTP. */
export class AcmeClient {
  readonly #account: AcmeAccount;
  readonly #signal: AbortSignal;
  readonly #sleep: (ms: number) => Promise<void>;
  #directory: Directory | undefined;
  #nonce: string | undefined;
  #url: string | undefined;

  constructor(account: AcmeAccount, signal: AbortSignal, sleep: (ms: number) => Promise<void>) {
    this.#account = account;
    this.#signal = signal;
    this.#sleep = sleep;
    this.#url = account.url;
  }

  /** The account's own address, once there has been a request. */
  get accountUrl(): string | undefined {
    return this.#url;
  }

  /** A certificate with its chain, in PEM. */
  async issue(order: AcmeOrder): Promise<string> {
    this.#directory ??= (await this.#get(this.#account.directory)).body as unknown as Directory;
    this.#url ??= await this.#register(this.#directory.newAccount);
    const identifiers = [{ type: 'dns', value: order.host }];
    const made = await this.#send(this.#directory.newOrder, { identifiers });
    const orderUrl = made.headers.get('location') ?? '';
    for (const url of made.body.authorizations as string[]) await this.#authorize(url, order);
    const ready = await this.#await(orderUrl, (status) => status !== 'pending');
    if (ready.status === 'ready') await this.#send(String(ready.finalize), { csr: order.request });
    const done = await this.#await(orderUrl, (status) => status === 'valid');
    return this.#download(String(done.certificate), order.preferredChain);
  }

  async #register(url: string): Promise<string> {
    const { email, binding, isTermsAgreed, key } = this.#account;
    const { headers } = await this.#send(url, {
      termsOfServiceAgreed: isTermsAgreed,
      contact: [`mailto:${email}`],
      ...(binding && {
        externalAccountBinding: key.bindTo(url, binding.keyId, binding.secret),
      }),
    });
    return headers.get('location') ?? '';
  }

  async #authorize(url: string, { publish }: AcmeOrder): Promise<void> {
    const { body } = await this.#send(url, '');
    if (body.status === 'valid') return;
    const challenges = body.challenges as { type: string; url: string; token: string }[];
    const challenge = challenges.find(({ type }) => type === 'http-01');
    if (challenge === undefined) {
      throw new Error('the authority has no challenge over HTTP for this name');
    }
    const { token } = challenge;
    await publish(token, this.#account.key.authorizationOf(token));
    await this.#send(challenge.url, {});
    await this.#await(url, (status) => status === 'valid');
  }

  /** Looks until the thing is as it is wanted to be; throws with the authority's words if it never will. */
  async #await(
    url: string,
    isThere: (status: string) => boolean,
  ): Promise<Readonly<Record<string, unknown>>> {
    for (let look = 0; look < mostLooks; look += 1) {
      const { body, headers } = await this.#send(url, '');
      const status = String(body.status);
      if (status === 'invalid' || status === 'deactivated' || status === 'expired') {
        throw new Error(`the authority says ${status}: ${problemIn(body)}`);
      }
      if (isThere(status)) return body;
      const seconds = Number(headers.get('retry-after'));
      const pauseMs = Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : 1_000;
      await this.#sleep(Math.min(pauseMs, longestPauseMs));
    }
    throw new Error('the authority does not come to an end');
  }

  async #download(url: string, preferred: string | undefined): Promise<string> {
    const first = await this.#send(url, '');
    if (preferred === undefined || endsWith(first.text, preferred)) return first.text;
    for (const alternate of linksIn(first.headers.get('link') ?? '', 'alternate', url)) {
      const { text } = await this.#send(alternate, '');
      if (endsWith(text, preferred)) return text;
    }
    return first.text;
  }

  async #get(url: string): Promise<Reply> {
    return this.#read(await this.#fetch(url, { method: 'GET' }));
  }

  /** Sends what is signed; a nonce that ran out is replaced, once or twice. */
  async #send(url: string, payload: object | '', attempt = 0): Promise<Reply> {
    const { key } = this.#account;
    this.#nonce ??= await this.#newNonce();
    const nonce = this.#nonce;
    this.#nonce = undefined;
    const isNew = url === this.#directory?.newAccount;
    const signed = key.sign(url, nonce, payload, isNew ? undefined : this.#url);
    const response = await this.#fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/jose+json' },
      body: JSON.stringify(signed),
    });
    this.#nonce = response.headers.get('replay-nonce') ?? undefined;
    const reply = await this.#read(response, attempt < 2);
    return reply === 'again' ? this.#send(url, payload, attempt + 1) : reply;
  }

  async #newNonce(): Promise<string> {
    const { headers } = await this.#fetch(this.#directory?.newNonce ?? '', { method: 'HEAD' });
    return headers.get('replay-nonce') ?? '';
  }

  #fetch(url: string, init: RequestInit): Promise<Response> {
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(requestMs)]);
    return fetch(url, { ...init, signal, redirect: 'error' });
  }

  #read(response: Response): Promise<Reply>;
  #read(response: Response, mayTryAgain: boolean): Promise<Reply | 'again'>;
  async #read(response: Response, mayTryAgain = false): Promise<Reply | 'again'> {
    const text = await limitedText(response);
    let body: Record<string, unknown> = {};
    try {
      body = JSON.parse(text) as Record<string, unknown>;
    } catch {
      // A certificate, or a page of somebody in between: the status tells.
    }
    if (response.ok) return { headers: response.headers, text, body };
    if (mayTryAgain && body.type === 'urn:ietf:params:acme:error:badNonce') return 'again';
    throw new Error(`the authority answered ${response.status}: ${problemIn(body)}`);
  }
}

async function limitedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > mostReplyBytes) throw new Error('the authority answers with more than a mebibyte');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** What an authority says is wrong, wherever in its answer it stands; without what it may quote of us. */
function problemIn(body: Readonly<Record<string, unknown>>): string {
  const challenges = (body.challenges ?? []) as { error?: { detail?: unknown } }[];
  const error = body.error as { detail?: unknown } | undefined;
  const detail =
    body.detail ?? error?.detail ?? challenges.find((one) => one.error)?.error?.detail ?? body.type;
  return String(detail ?? 'no reason given').slice(0, 500);
}

function linksIn(header: string, relation: string, base: string): string[] {
  return [...header.matchAll(/<([^>]+)>\s*;\s*rel="?([^",;]+)"?/gu)]
    .filter(([, , rel]) => rel === relation)
    .map(([, url]) => new URL(url!, base).href);
}

/** Whether the last certificate of a chain was issued by an authority of this name. */
function endsWith(chain: string, name: string): boolean {
  const last = chain.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/gu)?.at(-1);
  try {
    return new X509Certificate(last ?? '').issuer.split('\n').includes(`CN=${name}`);
  } catch {
    return false;
  }
}
