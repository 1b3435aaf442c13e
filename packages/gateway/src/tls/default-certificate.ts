import { createPrivateKey, generateKeyPair, randomBytes, X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeCertificate, pemText, writeWholeFile } from '@waygate/text';

/** A certificate and its key, as PEM. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

const dayMs = 24 * 3_600_000;
const twentyYearsMs = 20 * 365 * dayMs;

let made: Promise<CertificatePair> | undefined;

/** Its name where it is kept, with its key. */
const keptName = 'default-certificate.pem';

/**
 * The certificate that is served for names without one: made once in a process, since that takes a
 * while, signed by itself, and named as Kong's, so that people recognise it. Where there is a directory for
 * it, it is made once for all who share that, and whoever has told a browser to trust it need not do so again.
 */
export function defaultCertificate(directory?: string): Promise<CertificatePair> {
  made ??= directory === undefined ? create(Date.now()) : kept(directory, Date.now());
  return made;
}

async function kept(directory: string, now: number): Promise<CertificatePair> {
  const file = join(directory, keptName);
  const known = read(file, now);
  if (known !== undefined) return known;
  const pair = await create(now);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeWholeFile(file, `${pair.key}${pair.cert}`);
  } catch {
    // A directory that is not to be written, or a full disk: the next process makes its own.
  }
  return pair;
}

/** What is kept, unless it is damaged, or about to end. */
function read(file: string, now: number): CertificatePair | undefined {
  try {
    const text = readFileSync(file, 'utf8');
    const at = text.indexOf('-----BEGIN CERTIFICATE-----');
    const [key, cert] = [text.slice(0, at), text.slice(at)];
    const certificate = new X509Certificate(cert);
    const isGood =
      certificate.checkPrivateKey(createPrivateKey(key)) &&
      Date.parse(certificate.validTo) > now + dayMs;
    return isGood ? { cert, key } : undefined;
  } catch {
    return undefined;
  }
}

async function create(now: number): Promise<CertificatePair> {
  // RSA, not ECDSA: Node adds the certificate for a name to the default one instead of replacing it when
  // their keys are of different types, and clients then choose; they prefer ECDSA.
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2_048 });
  const der = makeCertificate({
    subject: [
      ['CN', 'localhost'],
      ['OU', 'IT Department'],
      ['O', 'Kong'],
      ['L', 'San Francisco'],
      ['ST', 'California'],
      ['C', 'US'],
    ],
    names: ['localhost'],
    from: new Date(now - 60_000),
    to: new Date(now + twentyYearsMs),
    serial: BigInt(`0x01${randomBytes(8).toString('hex')}`),
    key: privateKey,
  });
  return {
    cert: pemText('CERTIFICATE', der),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
