import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** A request for a certificate, and the key that it is about. */
export interface CertificateRequest {
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
  x509.cryptoProvider.set(webcrypto as never);
  const algorithm =
    type === 'ecc'
      ? { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
      : {
          name: 'RSASSA-PKCS1-v1_5',
          hash: 'SHA-256',
          publicExponent: new Uint8Array([1, 0, 1]),
          modulusLength: rsaBits,
        };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const made = await x509.Pkcs10CertificateRequestGenerator.create({
    name: `CN=${host}`,
    keys,
    signingAlgorithm: algorithm,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: host }])],
  });
  const exported = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  const lines = exported.toString('base64').replace(/(.{64})/g, '$1\n');
  return {
    request: Buffer.from(made.rawData).toString('base64url'),
    key: `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`,
  };
}
