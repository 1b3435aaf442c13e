import { createSecureContext, type SecureVersion } from 'node:tls';

/** How clients shake hands with all names, where that is not left to the defaults. */
export interface HandshakeSettings {
  readonly minVersion: SecureVersion;
  readonly maxVersion: SecureVersion;
  /** As OpenSSL writes them; those of TLS 1.3 are always offered. */
  readonly ciphers: string;
  readonly isHttp2Offered: boolean;
  /** Clients that ask for a name without a certificate of its own are sent away. */
  readonly isUnknownRefused: boolean;
  /** Clients that name no server get the certificate for any name. */
  readonly hasAnyName: boolean;
}

const versions: readonly SecureVersion[] = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'];
const suites = 'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256';

/** The range that a list of protocols stands for; undefined when it names none. */
export function versionRange(
  protocols: readonly string[],
): { readonly minVersion: SecureVersion; readonly maxVersion: SecureVersion } | undefined {
  const known = versions.filter((version) => protocols.includes(version));
  const [minVersion] = known;
  const maxVersion = known.at(-1);
  return minVersion === undefined || maxVersion === undefined
    ? undefined
    : { minVersion, maxVersion };
}

/** The options of a TLS server that shakes hands like this. */
export function handshakeOptions(settings: HandshakeSettings | undefined): {
  ALPNProtocols: string[];
  minVersion?: SecureVersion;
  maxVersion?: SecureVersion;
  ciphers?: string;
  honorCipherOrder?: boolean;
} {
  if (settings === undefined) return { ALPNProtocols: ['h2', 'http/1.1'] };
  const { minVersion, maxVersion, ciphers } = settings;
  return {
    ALPNProtocols: settings.isHttp2Offered ? ['h2', 'http/1.1'] : ['http/1.1'],
    minVersion,
    maxVersion,
    ...(ciphers === '' ? {} : { ciphers: `${suites}:${ciphers}`, honorCipherOrder: true }),
  };
}

/** Why OpenSSL does not take a list of ciphers; undefined if it does. */
export function cipherProblem(ciphers: string): string | undefined {
  if (ciphers === '') return undefined;
  try {
    createSecureContext({ ciphers });
    return undefined;
  } catch {
    return 'these are no ciphers that the gateway has';
  }
}
