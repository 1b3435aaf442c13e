/** What proves to the API who is calling. */
export interface Credentials {
  readonly token?: string | undefined;
  readonly basic?: { readonly username: string; readonly password: string } | undefined;
  /** A client certificate, PEM. It wins over that of the TLS settings. */
  readonly certificate?: { readonly certificate: string; readonly key: string } | undefined;
}

/** Where credentials come from; asked before every request, so it caches. */
export interface CredentialSource {
  get(signal?: AbortSignal): Promise<Credentials>;
  /**
   * Called when the API answered 401 to `refused`. True when `get` may now give others, and the
   * request is worth sending again, once.
   */
  refresh?(refused: Credentials, signal?: AbortSignal): Promise<boolean>;
}

/** No credentials at all. */
export const anonymous: CredentialSource = { get: async () => ({}) };

/**
 * A bearer token that does not change.
 *
 * ```ts
 * const credentials = staticToken('a token');
 * const client = new KubeClient({ server: 'https://127.0.0.1:6443', namespace: 'default', credentials });
 * ```
 */
export function staticToken(token: string): CredentialSource {
  return { get: async () => ({ token }) };
}

/**
 * A user name and a password on every request.
 *
 * ```ts
 * const credentials = basicCredentials('ann', 'a password');
 * const client = new KubeClient({ server: 'https://127.0.0.1:6443', namespace: 'default', credentials });
 * ```
 */
export function basicCredentials(username: string, password: string): CredentialSource {
  return { get: async () => ({ basic: { username, password } }) };
}

export function authorizationHeader(credentials: Credentials): string | undefined {
  if (credentials.token !== undefined && credentials.token !== '') {
    return `Bearer ${credentials.token}`;
  }
  if (credentials.basic === undefined) return undefined;
  const { username, password } = credentials.basic;
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
