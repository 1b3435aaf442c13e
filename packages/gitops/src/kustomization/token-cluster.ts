import type { ConnectionConfig, CredentialSource, Credentials, KubeClient } from '@waygate/kube';
import { type KubeObject, kinds } from '@waygate/schema';
import { GitOpsError } from '../gitops-error.ts';

/** A cluster that trusts tokens of this one, as a ConfigMap says it. */
interface TokenClusterOptions {
  /** `Namespace/name` of the ConfigMap, for messages. */
  readonly name: string;
  readonly namespace: string;
  readonly data: Readonly<Record<string, string>>;
  /** Whose token is sent where the ConfigMap says nothing. */
  readonly defaultServiceAccount?: string | undefined;
  readonly client: KubeClient;
  readonly now: () => number;
}

const clouds = ['aws', 'azure', 'gcp'];

/**
 * How the cluster of a ConfigMap is reached: at its address, with tokens of a ServiceAccount that are made for it.
 *
 * @throws GitOpsError for a provider or an address that cannot be used
 */
export function tokenCluster(options: TokenClusterOptions): ConnectionConfig {
  const { data, name, namespace, defaultServiceAccount } = options;
  const { provider = '', address = '' } = data;
  if (clouds.includes(provider)) {
    throw problem(`${name}: identities of clouds ('${provider}') are not supported: use a Secret`);
  }
  if (provider !== 'generic') throw problem(`${name}: provider '${provider}' not supported`);
  const audiences = (data.audiences ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const account = data.serviceAccountName || defaultServiceAccount;
  const ca = data['ca.crt'];
  return {
    server: serverOf(address, name),
    namespace: 'default',
    ...(ca ? { tls: { caData: ca } } : {}),
    credentials: new AccountTokens(
      account ? async () => ({ namespace, name: account }) : () => ownAccount(options.client, name),
      audiences.length === 0 ? [address] : audiences,
      options,
    ),
  };
}

/** `https://host:port`, whatever of it was left out. A token is sent there: never without TLS. */
function serverOf(address: string, name: string): string {
  if (address === '') throw problem(`${name}: cluster address is required to create a REST config`);
  const text = address.startsWith('http') ? address : `https://${address}`;
  if (!URL.canParse(text)) throw problem(`${name}: cluster address '${address}' is no URL`);
  const { protocol, hostname, port } = new URL(text);
  if (protocol !== 'https:') {
    throw problem(`${name}: the Kubernetes API server address '${text}' must use https scheme`);
  }
  return `https://${hostname}:${port || '443'}`;
}

interface Account {
  readonly namespace: string;
  readonly name: string;
}

interface TokenRequest extends KubeObject {
  spec?: { audiences: readonly string[] };
  status?: { token: string; expirationTimestamp: string };
}

/** Tokens of an account, each used until a fifth of its life is left. */
class AccountTokens implements CredentialSource {
  readonly #accountOf: () => Promise<Account>;
  readonly #audiences: readonly string[];
  readonly #options: TokenClusterOptions;
  #known: { token: string; freshUntilMs: number } | undefined;
  /** One request for all who wait. */
  #asked: Promise<string> | undefined;

  constructor(
    accountOf: () => Promise<Account>,
    audiences: readonly string[],
    options: TokenClusterOptions,
  ) {
    this.#accountOf = accountOf;
    this.#audiences = audiences;
    this.#options = options;
  }

  async get(): Promise<Credentials> {
    if (this.#known !== undefined && this.#options.now() < this.#known.freshUntilMs) {
      return { token: this.#known.token };
    }
    // Nobody's signal ends it: who asked first may give up, and the others wait on.
    this.#asked ??= this.#ask().finally(() => {
      this.#asked = undefined;
    });
    return { token: await this.#asked };
  }

  async refresh(refused: Credentials): Promise<boolean> {
    if (this.#known?.token === refused.token) this.#known = undefined;
    return true;
  }

  async #ask(): Promise<string> {
    const { client, now } = this.#options;
    const { namespace, name } = await this.#accountOf();
    const body = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { audiences: this.#audiences },
    };
    const { status } = await client
      .resource(kinds.ServiceAccount)
      .subresource<TokenRequest>('token')
      .create(name, body, { namespace });
    if (status === undefined) throw problem(`no token for ServiceAccount '${namespace}/${name}'`);
    const lifeMs = Date.parse(status.expirationTimestamp) - now();
    this.#known = { token: status.token, freshUntilMs: now() + lifeMs * 0.8 };
    return status.token;
  }
}

/** Whose token this process itself has. */
async function ownAccount(client: KubeClient, name: string): Promise<Account> {
  const { token = '' } = (await client.config.credentials?.get()) ?? {};
  const [, claims = ''] = token.split('.');
  const subject = /"sub"\s*:\s*"system:serviceaccount:([^:"]+):([^:"]+)"/.exec(
    Buffer.from(claims, 'base64url').toString('utf8'),
  );
  if (subject === null) {
    throw problem(
      `${name}: serviceAccountName is required: this process acts as no ServiceAccount`,
    );
  }
  return { namespace: subject[1]!, name: subject[2]! };
}

function problem(message: string): GitOpsError {
  return new GitOpsError('WG_GITOPS_CONFIG', message);
}
