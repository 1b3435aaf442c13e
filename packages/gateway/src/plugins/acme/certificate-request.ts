import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { makeCertificateRequest } from '@waygate/text';

/** A request for a certificate, and the key that it is about. */
interface CertificateRequest {
  /** DER in base64url, as an authority takes it. */
  readonly request: string;
  readonly key: string;
}

/** Makes a key and asks for a certificate of it for one name. */
export async function requestCertificate(
  host: string,
  type: 'rsa' | 'ecc',
  rsaBits: number,
): Promise<CertificateRequest> {
  const key =
    type === 'ecc'
      ? await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
      : await promisify(generateKeyPair)('rsa', { modulusLength: rsaBits });
  const made = makeCertificateRequest({
    subject: [['CN', host]],
    names: [host],
    key: key.privateKey,
  });
  return {
    request: made.toString('base64url'),
    key: key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
