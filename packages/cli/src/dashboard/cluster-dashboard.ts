import { readFileSync } from 'node:fs';
import {
  BearerToken,
  CookieSeal,
  Dashboard,
  DashboardCore,
  Oidc,
  type OidcOptions,
  People,
  ProxyHeaders,
  Sessions,
  type SharedSessions,
  type SignIn,
} from '@waygate/dashboard';
import type { AdminClient } from '@waygate/kong';
import type { KubeClient } from '@waygate/kube';
import { systemClock } from '@waygate/runtime';
import { HttpClient, isLoopback, parseAddressRanges } from '@waygate/text';
import { CliError, exitCode } from '../context.ts';
import { parseListenAddress } from '../listen-address.ts';
import { version } from '../version.ts';
import { followedKinds } from './followed-kinds.ts';
import { gatewayTraceEngine } from './gateway-trace-engine.ts';
import { gitPreviewEngine } from './git-preview-engine.ts';
import { nginxMigrationEngine } from './nginx-migration-engine.ts';
import { PreviewStores } from './preview-stores.ts';
import { taggedObject } from './tagged-object.ts';

/** Reads a flag of the dashboard by its name. */
type Value = (flag: string) => string;

interface ClusterDashboardOptions {
  readonly client: KubeClient;
  /** Any of the gateways: they are alike. */
  readonly gateway: () => AdminClient | undefined;
  readonly onError: (error: unknown) => void;
}

/** The dashboard of a cluster: who may look signs in, and sees what the API lets them. */
export class ClusterDashboard {
  readonly core: DashboardCore;
  readonly #people: People;
  readonly #web = new HttpClient();
  readonly #previews = new PreviewStores();
  readonly #dashboard: Dashboard;

  constructor(value: Value, options: ClusterDashboardOptions) {
    const { client, gateway, onError } = options;
    const { host, port } = listenOf(value);
    const tls = keyPairOf(value);
    const names = listOf(value('dashboard-hosts'));
    this.#people = new People(client.config);
    const isSecure = tls !== undefined || value('dashboard-oidc-redirect-url').startsWith('https:');
    const sessions = new Sessions({
      cookie: 'waygate',
      isSecure,
      clock: systemClock,
      shared: sharedOf(value, this.#people),
    });
    this.core = new DashboardCore({
      client,
      kinds: followedKinds,
      gateway,
      objectOf: taggedObject,
      onError,
    });
    this.#dashboard = new Dashboard({
      core: this.core,
      signIns: this.#signIns(value, sessions),
      host,
      port,
      names,
      isNameChecked: names.length > 0 || isLoopback(host),
      tls,
      cluster: value('dashboard-cluster-name'),
      version,
      trace: gatewayTraceEngine(gateway),
      preview: gitPreviewEngine({
        directory: (person) => this.#previews.directoryOf(person),
        allowFileUrls: false,
        ingressClass: value('ingress-class'),
      }),
      migration: nginxMigrationEngine,
      onError,
    });
  }

  async listen(): Promise<number> {
    return (await this.#dashboard.listen()).port;
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      await Promise.all([this.core.run(signal), this.#dashboard.run(signal)]);
    } finally {
      this.#people.close();
      this.#web.close();
      this.#previews.close();
    }
  }

  /** A proxy's word first: whoever stands behind one is known already. */
  #signIns(value: Value, sessions: Sessions): SignIn[] {
    const people = this.#people;
    const signIns: SignIn[] = [];
    const proxies = listOf(value('dashboard-trusted-proxies'));
    if (proxies.length > 0) {
      const trusted = parseAddressRanges(proxies);
      if (trusted === undefined) throw usage('--dashboard-trusted-proxies has what is no address');
      const userHeader = value('dashboard-user-header');
      const groupHeader = value('dashboard-groups-header') || undefined;
      signIns.push(new ProxyHeaders({ people, sessions, trusted, userHeader, groupHeader }));
    }
    const oidc = oidcOf(value);
    if (oidc !== undefined)
      signIns.push(
        new Oidc({ ...oidc, people, sessions, clock: systemClock, send: this.#web.send }),
      );
    signIns.push(new BearerToken(people, sessions, systemClock));
    return signIns;
  }
}

/** What replicas have in common, so that each knows who signed in at another. */
function sharedOf(value: Value, people: People): SharedSessions | undefined {
  const flag = 'dashboard-session-key-file';
  if (value(flag) === '') return undefined;
  const secret = Buffer.from(textOf(value(flag), flag));
  try {
    return { seal: new CookieSeal(secret), personOf: (proof) => people.ofProof(proof) };
  } catch (cause) {
    throw new CliError(`--${flag}: ${(cause as Error).message}`, { cause });
  }
}

function oidcOf(
  value: Value,
): Omit<OidcOptions, 'people' | 'sessions' | 'clock' | 'send'> | undefined {
  const issuer = value('dashboard-oidc-issuer-url');
  if (issuer === '') return undefined;
  const needed = (flag: string): string => {
    if (value(flag) === '') throw usage(`--dashboard-oidc-issuer-url needs --${flag}`);
    return value(flag);
  };
  const redirectUrl = needed('dashboard-oidc-redirect-url');
  if (!URL.canParse(redirectUrl) || new URL(redirectUrl).pathname !== '/api/sign-in/callback')
    throw usage('--dashboard-oidc-redirect-url must end in /api/sign-in/callback');
  const file = value('dashboard-oidc-client-secret-file');
  return {
    issuer,
    clientId: needed('dashboard-oidc-client-id'),
    redirectUrl,
    clientSecret: file === '' ? undefined : textOf(file, 'dashboard-oidc-client-secret-file'),
    scopes: listOf(value('dashboard-oidc-scopes')),
    impersonation:
      value('dashboard-oidc-impersonate') === 'true'
        ? {
            userClaim: value('dashboard-oidc-username-claim'),
            groupsClaim: value('dashboard-oidc-groups-claim') || undefined,
            prefix: value('dashboard-oidc-prefix'),
          }
        : undefined,
  };
}

function listenOf(value: Value): { readonly host: string; readonly port: number } {
  const text = value('dashboard-bind-address');
  try {
    return parseListenAddress(text);
  } catch (error) {
    throw usage(`--dashboard-bind-address ${text} ${(error as Error).message}`);
  }
}

function keyPairOf(value: Value): { readonly cert: string; readonly key: string } | undefined {
  const [cert, key] = [value('dashboard-tls-cert-file'), value('dashboard-tls-key-file')];
  if (cert === '' && key === '') return undefined;
  if (cert === '' || key === '')
    throw usage('--dashboard-tls-cert-file and --dashboard-tls-key-file go together');
  return {
    cert: textOf(cert, 'dashboard-tls-cert-file'),
    key: textOf(key, 'dashboard-tls-key-file'),
  };
}

function textOf(file: string, flag: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new CliError(`--${flag}: ${(cause as Error).message}`, { cause });
  }
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function usage(message: string): CliError {
  return new CliError(message, { exitCode: exitCode.usage });
}
