import { X509Certificate } from 'node:crypto';
import type { PluginStorage } from '../../storage/plugin-storage.ts';
import type { CertificatePair } from '../../tls/default-certificate.ts';
import { AccountKey } from './account-key.ts';
import { AcmeClient } from './acme-client.ts';
import type { AcmeConfig } from './acme-config.ts';
import { type AcmeStorage, LocalAcmeStorage, RedisAcmeStorage } from './acme-storage.ts';
import { requestCertificate } from './certificate-request.ts';

/** What the processes of a node ask the one that gets certificates. */
export type AcmeQuestion =
  | { readonly kind: 'certificate'; readonly host: string; readonly config: AcmeConfig }
  | { readonly kind: 'challenge'; readonly token: string; readonly config: AcmeConfig };

export interface AcmeAnswer {
  readonly pair?: CertificatePair;
  /** To a challenge. */
  readonly text?: string;
  /** What went wrong since somebody asked; told once. */
  readonly problem?: string;
}

interface Known {
  readonly pair: CertificatePair;
  readonly expiresAt: number;
  readonly readAt: number;
}

const dayMs = 86_400_000;
/** Others may have renewed a certificate that is shared. */
const freshMs = 60_000;
const challengeSeconds = 3_600;
const orderSeconds = 600;
/** How many names may wait for a certificate: who asks for more asks in vain. */
const mostWaiting = 100;
const mostHosts = 10_000;

/** Gets and renews certificates, one after the other, for the whole node. */
export class CertificateKeeper {
  readonly #now: () => number;
  readonly #sleep: (ms: number) => Promise<void>;
  readonly #local: LocalAcmeStorage;
  readonly #shared = new Map<string, AcmeStorage>();
  readonly #known = new Map<string, Known>();
  /** Names that are being asked for; each has one order at a time. */
  readonly #waiting = new Map<string, Promise<void>>();
  /** When a name that was refused may be asked for again. */
  readonly #retryAt = new Map<string, number>();
  readonly #stopping = new AbortController();
  #turn: Promise<void> = Promise.resolve();
  #problem: string | undefined;

  constructor(now: () => number, sleep: (ms: number, signal: AbortSignal) => Promise<void>) {
    this.#now = now;
    this.#sleep = (ms) => sleep(ms, this.#stopping.signal);
    this.#local = new LocalAcmeStorage(now);
  }

  open(disk: PluginStorage): void {
    this.#local.open(disk);
  }

  async handle(question: AcmeQuestion): Promise<AcmeAnswer> {
    const storage = this.#storageOf(question.config);
    if (question.kind === 'challenge') {
      const text = await storage.get(`${question.token}#http-01`);
      return text === undefined ? {} : { text };
    }
    const { host, config } = question;
    const known = await this.#certificateOf(storage, host);
    const dueAt = (known?.expiresAt ?? 0) - config.renew_threshold_days * dayMs;
    if (dueAt <= this.#now()) this.#order(storage, host, config);
    const problem = this.#problem;
    this.#problem = undefined;
    const isGood = known !== undefined && known.expiresAt > this.#now();
    return { ...(isGood && { pair: known.pair }), ...(problem !== undefined && { problem }) };
  }

  /** What is under way is given up: the next process begins anew. */
  async close(): Promise<void> {
    this.#stopping.abort(new Error('the gateway stops'));
    await this.#turn;
    for (const storage of this.#shared.values()) storage.close();
  }

  #storageOf({ storage, storage_config: settings }: AcmeConfig): AcmeStorage {
    if (storage !== 'redis' || !settings.redis) return this.#local;
    const key = JSON.stringify(settings.redis);
    let found = this.#shared.get(key);
    if (found === undefined) {
      found = new RedisAcmeStorage(settings.redis, settings.redis.extra_options?.namespace ?? '');
      this.#shared.set(key, found);
    }
    return found;
  }

  async #certificateOf(storage: AcmeStorage, host: string): Promise<Known | undefined> {
    const known = this.#known.get(host);
    if (known !== undefined && this.#now() - known.readAt < freshMs) return known;
    const text = await storage.get(certificateKey(host));
    if (text === undefined) {
      this.#known.delete(host);
      return undefined;
    }
    const read = known?.pair.cert === pairIn(text).cert ? known.pair : pairIn(text);
    return this.#remember(host, read);
  }

  #remember(host: string, pair: CertificatePair): Known {
    const expiresAt = Date.parse(new X509Certificate(pair.cert).validTo);
    const known = { pair, expiresAt, readAt: this.#now() };
    if (this.#known.size >= mostHosts) this.#known.clear();
    this.#known.set(host, known);
    return known;
  }

  #order(storage: AcmeStorage, host: string, config: AcmeConfig): void {
    const isEarly = (this.#retryAt.get(host) ?? 0) > this.#now();
    if (isEarly || this.#waiting.has(host) || this.#waiting.size >= mostWaiting) return;
    const turn = this.#turn.then(() => this.#issue(storage, host, config));
    const done = turn
      .catch((error: unknown) => {
        if (this.#stopping.signal.aborted) return;
        if (this.#retryAt.size >= mostHosts) this.#retryAt.clear();
        this.#retryAt.set(host, this.#now() + config.fail_backoff_minutes * 60_000);
        this.#problem = `no certificate for ${host}: ${(error as Error).message}`;
      })
      .finally(() => this.#waiting.delete(host));
    this.#waiting.set(host, done);
    this.#turn = done;
  }

  async #issue(storage: AcmeStorage, host: string, config: AcmeConfig): Promise<void> {
    this.#stopping.signal.throwIfAborted();
    const lock = `kong_acme:update_lock:${host}`;
    // Another node has it in hand, and will put the certificate where this one looks.
    if (!(await storage.claim(lock, orderSeconds))) return;
    try {
      const { request, key } = await requestCertificate(
        host,
        config.cert_type,
        config.rsa_key_size,
      );
      const client = await this.#clientOf(storage, config);
      const cert = await client.issue({
        host,
        request,
        preferredChain: config.preferred_chain ?? undefined,
        publish: (token, answer) => storage.put(`${token}#http-01`, answer, challengeSeconds),
      });
      await storage.put(certificateKey(host), JSON.stringify({ cert, key }));
      this.#remember(host, { cert, key });
    } finally {
      await storage.delete(lock);
    }
  }

  /** An account is made once, and kept before it is used: its key is what the authority knows. */
  async #clientOf(storage: AcmeStorage, config: AcmeConfig): Promise<AcmeClient> {
    const { account_email: email, api_uri: directory, eab_kid: keyId } = config;
    const name = `kong_acme:account:${directory}:${Buffer.from(email).toString('base64')}`;
    let text = await storage.get(name);
    if (text === undefined) {
      text = JSON.stringify({ key: AccountKey.generate().pem });
      await storage.put(name, text);
    }
    const { key } = JSON.parse(text) as { key: string };
    return new AcmeClient(
      {
        directory,
        email,
        key: AccountKey.parse(key),
        isTermsAgreed: config.tos_accepted,
        ...(keyId && { binding: { keyId, secret: config.eab_hmac_key ?? '' } }),
      },
      this.#stopping.signal,
      this.#sleep,
    );
  }
}

function certificateKey(host: string): string {
  return `kong_acme:cert_key:${host}`;
}

function pairIn(text: string): CertificatePair {
  const { cert, key } = JSON.parse(text) as CertificatePair;
  return { cert, key };
}
