import { createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import type { Clock } from '@waygate/runtime';
import { type HttpTls, isObject, targetOf, trimEndOf } from '@waygate/text';
import type { SecretData } from '../api/secret-data.ts';
import { GitOpsError, messageOf } from '../gitops-error.ts';
import { OutgoingClient, readBody } from '../http/outgoing-client.ts';
import { proxyUrlOf } from '../http/proxy-secret.ts';
import { tlsSettingsOf } from '../http/tls-secret.ts';

/** A token is not used in its last minutes: a clone may take some. */
const spareMs = 5 * 60_000;
const maxAnswerBytes = 4 * 1024 * 1024;
const maxPages = 50;

/** What a Secret says of an app of GitHub. */
interface AppFacts {
  readonly id: string;
  /** Where the app is installed: by its number, or by whose installation it is. */
  readonly installation: { readonly id: string } | { readonly owner: string };
  readonly key: KeyObject;
  readonly api: URL;
}

/** Whether a Secret is that of an app. */
export function isGitHubApp(secret: SecretData | undefined): boolean {
  return (secret?.githubAppID ?? '') !== '';
}

/**
 * Signs in to GitHub, or a GitHub Enterprise Server, as an app: a short-lived token of an
 * installation stands in for a password. Tokens are kept until shortly before they expire, so that a
 * look at a repository costs no further request.
 */
export class GitHubApps {
  readonly #clock: Clock;
  /** By what they were given for. */
  readonly #tokens = new Map<string, { token: string; untilMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * What git signs in with.
   *
   * @throws GitOpsError `WG_GITOPS_AUTH` when the Secret lacks something, or GitHub refuses
   */
  async credentials(
    secret: SecretData,
    proxy: SecretData | undefined,
    signal: AbortSignal,
  ): Promise<SecretData> {
    const app = appFacts(secret);
    const key = createHash('sha256')
      .update(JSON.stringify([app.id, app.installation, app.api.href, secret.githubAppPrivateKey]))
      .digest('hex');
    const known = this.#tokens.get(key);
    let token = known?.token;
    if (known === undefined || known.untilMs <= this.#clock.now()) {
      const fresh = await this.#ask(app, secret, proxy, signal);
      for (const [old, { untilMs }] of this.#tokens) {
        if (untilMs <= this.#clock.now()) this.#tokens.delete(old);
      }
      this.#tokens.set(key, fresh);
      token = fresh.token;
    }
    const authority = secret['ca.crt'] ?? secret.caFile;
    return {
      username: 'x-access-token',
      password: token ?? '',
      ...(authority === undefined ? {} : { 'ca.crt': authority }),
    };
  }

  /** Forgets all tokens. */
  clear(): void {
    this.#tokens.clear();
  }

  async #ask(
    app: AppFacts,
    secret: SecretData,
    proxy: SecretData | undefined,
    signal: AbortSignal,
  ): Promise<{ token: string; untilMs: number }> {
    const client = new OutgoingClient({ tls: tlsOf(secret), proxy: proxyUrlOf(proxy) });
    try {
      const call = { client, headers: this.#headers(app), signal };
      const id =
        'id' in app.installation
          ? app.installation.id
          : await installationOf(app.api, app.installation.owner, call);
      const url = below(app.api, `app/installations/${encodeURIComponent(id)}/access_tokens`);
      const answer = await exchange('POST', url, call);
      if (!isObject(answer) || typeof answer.token !== 'string' || answer.token === '') {
        throw refused('the answer has no token');
      }
      const expiresMs = Date.parse(String(answer.expires_at));
      return {
        token: answer.token,
        untilMs: (Number.isNaN(expiresMs) ? this.#clock.now() : expiresMs) - spareMs,
      };
    } finally {
      client.close();
    }
  }

  #headers({ id, key }: AppFacts): Record<string, string> {
    const nowSeconds = Math.floor(this.#clock.now() / 1000);
    // A minute back, as clocks differ; ten minutes are the most that GitHub takes.
    const claims = { iat: nowSeconds - 60, exp: nowSeconds + 480, iss: id };
    return {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${webToken(claims, key)}`,
      'user-agent': 'waygate',
    };
  }
}

interface ApiCall {
  readonly client: OutgoingClient;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** The number of the installation that somebody has of the app. */
async function installationOf(api: URL, owner: string, call: ApiCall): Promise<string> {
  const perPage = 100;
  for (let page = 1; page <= maxPages; page++) {
    const url = below(api, `app/installations?per_page=${perPage}&page=${page}`);
    const answer = await exchange('GET', url, call);
    if (!Array.isArray(answer)) throw refused('the list of installations is no list');
    for (const one of answer) {
      if (!isObject(one) || !isObject(one.account)) continue;
      const isOwner = String(one.account.login).toLowerCase() === owner.toLowerCase();
      if (isOwner) return String(one.id);
    }
    if (answer.length < perPage) break;
  }
  throw refused(`the app has no installation of '${owner}'`);
}

async function exchange(method: 'GET' | 'POST', url: URL, call: ApiCall): Promise<unknown> {
  const { client, headers, signal } = call;
  let status: number;
  let body: Buffer;
  try {
    const response = await client.send({
      method,
      ...targetOf(url),
      headers: method === 'POST' ? { ...headers, 'content-length': '0' } : headers,
      signal,
    });
    status = response.statusCode;
    body = await readBody(response, maxAnswerBytes, 'the answer of GitHub');
  } catch (error) {
    signal.throwIfAborted();
    throw refused(messageOf(error), error);
  }
  // What stands in the body is not repeated: a server may say anything.
  if (status < 200 || status > 299)
    throw refused(`${method} ${url.origin}${url.pathname}: HTTP ${status}`);
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw refused('the answer is no JSON', error);
  }
}

/** @throws GitOpsError that names the field which is missing or wrong */
function appFacts(secret: SecretData): AppFacts {
  const id = secret.githubAppID ?? '';
  const installation = secret.githubAppInstallationID ?? '';
  const owner = secret.githubAppInstallationOwner ?? '';
  const privateKey = secret.githubAppPrivateKey ?? '';
  if (installation === '' && owner === '') {
    throw invalid("one of 'githubAppInstallationID' and 'githubAppInstallationOwner' is required");
  }
  if (installation !== '' && owner !== '') {
    throw invalid(
      "only one of 'githubAppInstallationID' and 'githubAppInstallationOwner' may be set",
    );
  }
  if (privateKey === '') throw invalid("'githubAppPrivateKey' is required");
  return {
    id: id.trim(),
    installation: installation === '' ? { owner: owner.trim() } : { id: installation.trim() },
    key: rsaKey(privateKey),
    api: apiUrl(secret.githubAppBaseURL ?? ''),
  };
}

function rsaKey(text: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(text);
  } catch {
    // The reason might quote the key.
    throw invalid("'githubAppPrivateKey' is no private key in PEM");
  }
  if (key.asymmetricKeyType !== 'rsa') throw invalid("'githubAppPrivateKey' is no RSA key");
  return key;
}

function apiUrl(text: string): URL {
  const shown = text === '' ? 'https://api.github.com' : text.trim();
  const url = URL.canParse(shown) ? new URL(shown) : undefined;
  if (url?.protocol !== 'https:') throw invalid("'githubAppBaseURL' is no https URL");
  return url;
}

function below(api: URL, path: string): URL {
  return new URL(`${trimEndOf(api.href, '/')}/${path}`);
}

function tlsOf(secret: SecretData): HttpTls {
  const authority = secret['ca.crt'] ?? secret.caFile;
  return authority === undefined ? {} : tlsSettingsOf({ 'ca.crt': authority }, 'github app');
}

/** A JSON Web Token, signed by RS256. */
function webToken(claims: object, key: KeyObject): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}

function invalid(why: string): GitOpsError {
  const said = `failed to configure authentication options: invalid github app data: ${why}`;
  return new GitOpsError('WG_GITOPS_AUTH', said);
}

function refused(why: string, cause?: unknown): GitOpsError {
  return new GitOpsError('WG_GITOPS_AUTH', `failed to get a github app token: ${why}`, { cause });
}
