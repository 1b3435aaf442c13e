import { createSecureContext, type SecureContext } from 'node:tls';
import type { JsonObject, KongCaCertificate, KongCertificate } from '@waygate/kong';
import { oncePer } from '@waygate/text';
import { CopyOnWriteMap } from '../collection/copy-on-write-map.ts';
import { type EntityDifference, referredId } from '../configuration/entity-difference.ts';
import type { EntitySource } from '../configuration/entity-source.ts';

interface Parts {
  readonly certificates: CopyOnWriteMap<KongCertificate>;
  readonly authorities: CopyOnWriteMap<KongCaCertificate>;
  readonly names: CopyOnWriteMap<ServedName>;
}

/** What a name is served with, and which entity says so: one may take a name over from another. */
interface ServedName {
  readonly sni: string;
  readonly certificate: string;
}

/**
 * Finds the certificate for a server name as Kong does: the exact name, then `*.` instead of its first
 * label, then `.*` instead of its last. Names are compared as they are written, so a client that sends
 * upper case gets the default certificate.
 */
export class CertificateIndex {
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  static of(source: EntitySource): CertificateIndex {
    return new CertificateIndex({
      certificates: byId(source, 'certificates'),
      authorities: byId(source, 'ca_certificates'),
      names: CopyOnWriteMap.of(
        [...source.list('snis')].map((sni) => [String(sni.name), servedName(sni)]),
      ),
    });
  }

  /** The index after changes; this one still finds what it did before. */
  change(differences: readonly EntityDifference[]): CertificateIndex {
    const certificates: [string, KongCertificate | undefined][] = [];
    const authorities: [string, KongCaCertificate | undefined][] = [];
    const names = new Map<string, ServedName | undefined>();
    const at = (name: string) => (names.has(name) ? names.get(name) : this.#parts.names.get(name));
    for (const { collection, id, before, after } of differences) {
      if (collection === 'certificates') {
        certificates.push([id, after as KongCertificate | undefined]);
      } else if (collection === 'ca_certificates') {
        authorities.push([id, after as KongCaCertificate | undefined]);
      } else if (collection === 'snis') {
        // Whichever comes first: a name that another entity has by now is not given up.
        if (before !== undefined && at(String(before.name))?.sni === id) {
          names.set(String(before.name), undefined);
        }
        if (after !== undefined) names.set(String(after.name), servedName(after));
      }
    }
    if (certificates.length + authorities.length + names.size === 0) return this;
    return new CertificateIndex({
      certificates: this.#parts.certificates.change(certificates),
      authorities: this.#parts.authorities.change(authorities),
      names: this.#parts.names.change(names),
    });
  }

  certificate(id: string | undefined): KongCertificate | undefined {
    return id === undefined ? undefined : this.#parts.certificates.get(id);
  }

  authority(id: string): KongCaCertificate | undefined {
    return this.#parts.authorities.get(id);
  }

  /** The context to serve a name with, or undefined if only the default certificate fits. */
  contextFor(serverName: string): SecureContext | undefined {
    const certificate = this.certificate(this.certificateIdFor(serverName));
    return certificate === undefined ? undefined : contextOf(certificate);
  }

  /** The certificates and keys to serve a name with, or undefined if only the default one fits. */
  pairsFor(serverName: string): { cert: string[]; key: string[] } | undefined {
    const certificate = this.certificate(this.certificateIdFor(serverName));
    return certificate === undefined ? undefined : pairsOf(certificate);
  }

  /** Whether a name has a certificate that is not the one for any name. */
  isServed(serverName: string): boolean {
    const id = this.certificateIdFor(serverName);
    return id !== undefined && id !== this.#parts.names.get('*')?.certificate;
  }

  certificateIdFor(serverName: string): string | undefined {
    const firstDot = serverName.indexOf('.');
    const lastDot = serverName.lastIndexOf('.');
    const candidates = [serverName];
    if (firstDot > 0) candidates.push(`*${serverName.slice(firstDot)}`);
    if (lastDot > 0) candidates.push(`${serverName.slice(0, lastDot)}.*`);
    candidates.push('*');
    for (const name of candidates) {
      const served = this.#parts.names.get(name);
      if (served !== undefined) return served.certificate;
    }
    return undefined;
  }
}

function servedName(sni: JsonObject): ServedName {
  return { sni: String(sni.id), certificate: referredId(sni, 'certificate') ?? '' };
}

function byId<T>(source: EntitySource, collection: string): CopyOnWriteMap<T> {
  return CopyOnWriteMap.of(
    [...source.list(collection)].map((entity: JsonObject) => [String(entity.id), entity as T]),
  );
}

function pairsOf(certificate: KongCertificate): { cert: string[]; key: string[] } | undefined {
  if (certificate.cert === undefined || certificate.key === undefined) return undefined;
  const isDouble = Boolean(certificate.cert_alt && certificate.key_alt);
  return {
    cert: [certificate.cert, ...(isDouble ? [certificate.cert_alt ?? ''] : [])],
    key: [certificate.key, ...(isDouble ? [certificate.key_alt ?? ''] : [])],
  };
}

/** Contexts take a while to make: one is made when its certificate is first served, and goes with it. */
const contextOf = oncePer((certificate: KongCertificate): SecureContext | undefined => {
  const pairs = pairsOf(certificate);
  if (pairs === undefined) return undefined;
  try {
    return createSecureContext(pairs);
  } catch {
    // An unusable pair, such as a key that needs a passphrase: the default certificate is served.
    return undefined;
  }
});
