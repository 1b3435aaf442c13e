import type { Send } from '@waygate/text';
import type { CredentialSource } from './credentials.ts';

/** What it takes to talk to one API as one user. `loadConfig` makes it; so can a program. */
export interface ConnectionConfig {
  /** The API's address; a path in it is a prefix of all paths. */
  readonly server: string;
  /** The namespace of the context, for programs that want a default. */
  readonly namespace: string;
  readonly tls?: TlsSettings | undefined;
  readonly credentials?: CredentialSource | undefined;
  readonly impersonation?: Impersonation | undefined;
  /** `http://`, `https://` or `socks5://`; without one the environment decides. */
  readonly proxyUrl?: string | undefined;
  /** Answers in place of the network: an API in this process. */
  readonly answer?: Send | undefined;
  readonly disableCompression?: boolean | undefined;
}

/** PEM text, or the file it is in. Files are read again when they change. */
export interface TlsSettings {
  readonly caData?: string | undefined;
  readonly caFile?: string | undefined;
  readonly certificateData?: string | undefined;
  readonly certificateFile?: string | undefined;
  readonly keyData?: string | undefined;
  readonly keyFile?: string | undefined;
  /** The name to verify instead of the server's own. */
  readonly serverName?: string | undefined;
  /** Turns the verification of the server off. */
  readonly insecureSkipTlsVerify?: boolean | undefined;
}

/** Acting as somebody else. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

export function impersonationHeaders(
  impersonation: Impersonation | undefined,
): Record<string, string | string[]> {
  if (impersonation === undefined) return {};
  const headers: Record<string, string | string[]> = { 'impersonate-user': impersonation.user };
  if (impersonation.uid !== undefined) headers['impersonate-uid'] = impersonation.uid;
  if (impersonation.groups !== undefined && impersonation.groups.length > 0) {
    headers['impersonate-group'] = [...impersonation.groups];
  }
  for (const [key, values] of Object.entries(impersonation.extra ?? {})) {
    headers[`impersonate-extra-${encodeExtraKey(key)}`] = [...values];
  }
  return headers;
}

/** What may not stand in a header's name is percent-encoded, and so is the percent itself. */
function encodeExtraKey(key: string): string {
  return Array.from(Buffer.from(key.toLowerCase()), (byte) => {
    const character = String.fromCharCode(byte);
    if (/[!#$&'*+.^_`|~0-9a-z-]/.test(character)) return character;
    return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}
