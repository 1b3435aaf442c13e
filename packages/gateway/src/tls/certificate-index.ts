import { createSecureContext, type SecureContext } from 'node:tls';
import type { KongCertificate, KongSni } from '@waygate/kong';

/**
 * Finds the certificate for a server name as Kong does: the exact name, then `*.` instead of its first
 * label, then `.*` instead of its last. Names are compared as they are written, so a client that sends
 * upper case gets the default certificate.
 */
export class CertificateIndex {
  readonly #certificates = new Map<string, KongCertificate>();
  readonly #idByName = new Map<string, string>();
  readonly #contexts = new Map<string, SecureContext | undefined>();

  constructor(certificates: Iterable<KongCertificate>, snis: Iterable<KongSni>) {
    for (const certificate of certificates) {
      this.#certificates.set(certificate.id ?? '', certificate);
    }
    for (const sni of snis) {
      this.#idByName.set(sni.name ?? '', sni.certificate?.id ?? '');
    }
  }

  /** The context to serve a name with, or undefined if only the default certificate fits. */
  contextFor(serverName: string): SecureContext | undefined {
    const id = this.certificateIdFor(serverName);
    if (id === undefined) {
      return undefined;
    }
    if (!this.#contexts.has(id)) {
      this.#contexts.set(id, this.#createContext(id));
    }
    return this.#contexts.get(id);
  }

  certificateIdFor(serverName: string): string | undefined {
    const firstDot = serverName.indexOf('.');
    const lastDot = serverName.lastIndexOf('.');
    const candidates = [serverName];
    if (firstDot > 0) {
      candidates.push(`*${serverName.slice(firstDot)}`);
    }
    if (lastDot > 0) {
      candidates.push(`${serverName.slice(0, lastDot)}.*`);
    }
    candidates.push('*');
    for (const name of candidates) {
      const id = this.#idByName.get(name);
      if (id !== undefined) {
        return id;
      }
    }
    return undefined;
  }

  #createContext(id: string): SecureContext | undefined {
    const certificate = this.#certificates.get(id);
    if (certificate?.cert === undefined || certificate.key === undefined) {
      return undefined;
    }
    const certs = [certificate.cert];
    const keys = [certificate.key];
    if (certificate.cert_alt && certificate.key_alt) {
      certs.push(certificate.cert_alt);
      keys.push(certificate.key_alt);
    }
    try {
      return createSecureContext({ cert: certs, key: keys });
    } catch {
      // An unusable pair, such as a key that needs a passphrase: the default certificate is served.
      return undefined;
    }
  }
}
