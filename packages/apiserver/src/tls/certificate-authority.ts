import { createPrivateKey, generateKeyPair, type KeyObject, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type CertificateContent,
  type CertificateSigner,
  isCertificateAddress,
  makeCertificate,
  type NamePart,
  pemText,
  readPem,
  signerOf,
  writeWholeFile,
} from '@waygate/text';

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
  readonly pem: string;
  readonly #signer: CertificateSigner;
  readonly #now: () => number;

  private constructor(pem: string, key: KeyObject, now: () => number) {
    const signer = signerOf(readPem(pem)?.der ?? Buffer.alloc(0), key);
    if (signer === undefined) throw new TypeError('the certificate of the authority is malformed');
    this.pem = pem;
    this.#signer = signer;
    this.#now = now;
  }

  static async create(now: () => number): Promise<CertificateAuthority> {
    const key = await newKey();
    const der = makeCertificate({
      subject: [['CN', 'waygate-ca']],
      ...lifetime(now(), caLifetimeMs),
      isAuthority: true,
      usage: ['digitalSignature', 'keyCertSign'],
      serial: serialNumber(),
      key,
    });
    return new CertificateAuthority(pemText('CERTIFICATE', der), key, now);
  }

  /** Loads the authority from a directory, or makes one there that only its owner may read. */
  static async open(directory: string, now: () => number): Promise<CertificateAuthority> {
    const certificateFile = join(directory, 'ca.crt');
    const keyFile = join(directory, 'ca.key');
    if (existsSync(certificateFile) && existsSync(keyFile)) {
      const key = createPrivateKey(readFileSync(keyFile, 'utf8'));
      return new CertificateAuthority(readFileSync(certificateFile, 'utf8'), key, now);
    }
    const authority = await CertificateAuthority.create(now);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    // The certificate last: with it the authority exists.
    writeWholeFile(keyFile, privateKeyText(authority.#signer.key));
    writeWholeFile(certificateFile, authority.pem);
    return authority;
  }

  /** A certificate for a server, good for the given names and addresses. */
  async issueServer(all: readonly string[]): Promise<KeyPairPem> {
    return this.#issue({
      subject: [['CN', 'kube-apiserver']],
      purposes: ['serverAuth'],
      names: all.filter((name) => !isCertificateAddress(name)),
      addresses: all.filter(isCertificateAddress),
    });
  }

  /** A certificate that authenticates a user: the common name, with organizations as groups. */
  async issueClient(username: string, groups: readonly string[]): Promise<KeyPairPem> {
    const organizations = groups.map((group): NamePart => ['O', group]);
    return this.#issue({ subject: [['CN', username], ...organizations], purposes: ['clientAuth'] });
  }

  async #issue(
    content: Pick<CertificateContent, 'subject' | 'purposes' | 'names' | 'addresses'>,
  ): Promise<KeyPairPem> {
    const key = await newKey();
    const der = makeCertificate(
      {
        ...content,
        ...lifetime(this.#now(), leafLifetimeMs),
        isAuthority: false,
        usage: ['digitalSignature'],
        serial: serialNumber(),
        key,
      },
      this.#signer,
    );
    return { certificate: pemText('CERTIFICATE', der), privateKey: privateKeyText(key) };
  }
}

async function newKey(): Promise<KeyObject> {
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
  return privateKey;
}

function lifetime(now: number, ms: number): { readonly from: Date; readonly to: Date } {
  return { from: new Date(now - backdateMs), to: new Date(now + ms) };
}

function serialNumber(): bigint {
  return BigInt(`0x01${randomBytes(15).toString('hex')}`);
}

function privateKeyText(key: KeyObject): string {
  return key.export({ format: 'pem', type: 'pkcs8' }).toString();
}
