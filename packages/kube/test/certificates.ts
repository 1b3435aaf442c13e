import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  cryptoProvider,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

/** A certificate authority made for one test. */
export class TestAuthority {
  readonly certificate: string;
  readonly #keys: webcrypto.CryptoKeyPair;
  readonly #name: string;
  #serial = 2;

  private constructor(name: string, keys: webcrypto.CryptoKeyPair, certificate: string) {
    this.#name = name;
    this.#keys = keys;
    this.certificate = certificate;
  }

  static async create(name = 'CN=Test CA'): Promise<TestAuthority> {
    cryptoProvider.set(webcrypto as never);
    const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const certificate = await X509CertificateGenerator.createSelfSigned({
      serialNumber: '01',
      name,
      notBefore: new Date(Date.now() - 60_000),
      notAfter: new Date(Date.now() + 3_600_000),
      signingAlgorithm: algorithm,
      keys: keys as never,
      extensions: [new BasicConstraintsExtension(true, undefined, true)],
    });
    return new TestAuthority(name, keys, certificate.toString('pem'));
  }

  async issue(subject: string, names: { dns?: string[]; ip?: string[] } = {}): Promise<Identity> {
    const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const alternatives = [
      ...(names.dns ?? []).map((value) => ({ type: 'dns' as const, value })),
      ...(names.ip ?? []).map((value) => ({ type: 'ip' as const, value })),
    ];
    const certificate = await X509CertificateGenerator.create({
      serialNumber: (this.#serial++).toString(16).padStart(2, '0'),
      subject,
      issuer: this.#name,
      notBefore: new Date(Date.now() - 60_000),
      notAfter: new Date(Date.now() + 3_600_000),
      signingAlgorithm: algorithm,
      publicKey: keys.publicKey as never,
      signingKey: this.#keys.privateKey as never,
      extensions:
        alternatives.length === 0 ? [] : [new SubjectAlternativeNameExtension(alternatives)],
    });
    const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
    return {
      certificate: certificate.toString('pem'),
      key: PemConverter.encode(key, 'PRIVATE KEY'),
    };
  }
}
