import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { writeWholeFile } from '@waygate/text';

cryptoProvider.set(webcrypto as never);

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const dayMs = 24 * 60 * 60 * 1000;
const caLifetimeMs = 3650 * dayMs;
const leafLifetimeMs = 365 * dayMs;
/** Clocks differ: a certificate is good a little before it was made. */
const backdateMs = 5 * 60 * 1000;

/** A certificate and its key, in PEM. */
export interface KeyPairPem {
  readonly certificate: string;
  readonly privateKey: string;
}

/**
 * The authority of one cluster: it signs the server's certificate and those of its clients.
 *
 * ```ts
 * const authority = await CertificateAuthority.create(Date.now);
 * const { certificate, privateKey } = await authority.issueServer(['localhost', '127.0.0.1']);
 * ```
 */
export class CertificateAuthority {
  readonly #certificate: X509Certificate;
  readonly #key: CryptoKey;
  readonly #now: () => number;

  private constructor(certificate: X509Certificate, key: CryptoKey, now: () => number) {
    this.#certificate = certificate;
    this.#key = key;
    this.#now = now;
  }

  get pem(): string {
    return `${this.#certificate.toString('pem')}\n`;
  }

  static async create(now: () => number): Promise<CertificateAuthority> {
    const keys = (await webcrypto.subtle.generateKey(algorithm, true, [
      'sign',
      'verify',
    ])) as CryptoKeyPair;
    const certificate = await X509CertificateGenerator.createSelfSigned({
      serialNumber: serialNumber(),
      name: 'CN=waygate-ca',
      notBefore: new Date(now() - backdateMs),
      notAfter: new Date(now() + caLifetimeMs),
      signingAlgorithm: algorithm,
      keys,
      extensions: [
        new BasicConstraintsExtension(true, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.digitalSignature, true),
        await SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    return new CertificateAuthority(certificate, keys.privateKey, now);
  }

  /** Loads the authority from a directory, or makes one there that only its owner may read. */
  static async open(directory: string, now: () => number): Promise<CertificateAuthority> {
    const certificateFile = join(directory, 'ca.crt');
    const keyFile = join(directory, 'ca.key');
    if (existsSync(certificateFile) && existsSync(keyFile)) {
      const key = await importKey(readFileSync(keyFile, 'utf8'));
      return new CertificateAuthority(
        new X509Certificate(readFileSync(certificateFile, 'utf8')),
        key,
        now,
      );
    }
    const authority = await CertificateAuthority.create(now);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    // The certificate last: with it the authority exists.
    writeWholeFile(keyFile, await exportKey(authority.#key));
    writeWholeFile(certificateFile, authority.pem);
    return authority;
  }

  /** A certificate for a server, good for the given names and addresses. */
  async issueServer(names: readonly string[]): Promise<KeyPairPem> {
    const alternatives = names.map((name) => ({
      type: /^[\d.]+$|:/.test(name) ? ('ip' as const) : ('dns' as const),
      value: name,
    }));
    return this.#issue('CN=kube-apiserver', '1.3.6.1.5.5.7.3.1', [
      new SubjectAlternativeNameExtension(alternatives),
    ]);
  }

  /** A certificate that authenticates a user: the common name, with organizations as groups. */
  async issueClient(username: string, groups: readonly string[]): Promise<KeyPairPem> {
    const name = [{ CN: [username] }, ...groups.map((group) => ({ O: [group] }))];
    return this.#issue(name, '1.3.6.1.5.5.7.3.2', []);
  }

  async #issue(
    subject: string | { [key: string]: string[] }[],
    usage: string,
    extensions: SubjectAlternativeNameExtension[],
  ): Promise<KeyPairPem> {
    const keys = (await webcrypto.subtle.generateKey(algorithm, true, [
      'sign',
      'verify',
    ])) as CryptoKeyPair;
    const certificate = await X509CertificateGenerator.create({
      serialNumber: serialNumber(),
      subject,
      issuer: this.#certificate.subject,
      notBefore: new Date(this.#now() - backdateMs),
      notAfter: new Date(this.#now() + leafLifetimeMs),
      signingAlgorithm: algorithm,
      publicKey: keys.publicKey,
      signingKey: this.#key,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([usage]),
        await AuthorityKeyIdentifierExtension.create(this.#certificate.publicKey),
        ...extensions,
      ],
    });
    return {
      certificate: `${certificate.toString('pem')}\n`,
      privateKey: await exportKey(keys.privateKey),
    };
  }
}

type CryptoKey = webcrypto.CryptoKey;
type CryptoKeyPair = webcrypto.CryptoKeyPair;

function serialNumber(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  bytes[0] = (bytes[0] as number) & 0x7f;
  return Buffer.from(bytes).toString('hex');
}

async function exportKey(key: CryptoKey): Promise<string> {
  const bytes = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  const lines = bytes.toString('base64').replaceAll(/.{64}/g, '$&\n');
  return `-----BEGIN PRIVATE KEY-----\n${lines.trimEnd()}\n-----END PRIVATE KEY-----\n`;
}

async function importKey(pem: string): Promise<CryptoKey> {
  const body = pem.replaceAll(/-----[^-]+-----|\s/g, '');
  return webcrypto.subtle.importKey('pkcs8', Buffer.from(body, 'base64'), algorithm, true, [
    'sign',
  ]);
}
