import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** A certificate and its key, as PEM. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

const twentyYearsMs = 20 * 365 * 24 * 3_600_000;

/**
 * The certificate that is served for names without one: made anew at each start, signed by itself, and
 * named as Kong's, so that people recognise it.
 */
export async function createDefaultCertificate(now: number): Promise<CertificatePair> {
  const crypto = webcrypto;
  x509.cryptoProvider.set(crypto as never);
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString('hex'),
    name: 'CN=localhost, OU=IT Department, O=Kong, L=San Francisco, ST=California, C=US',
    notBefore: new Date(now - 60_000),
    notAfter: new Date(now + twentyYearsMs),
    signingAlgorithm: algorithm,
    keys,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'localhost' }])],
  });
  const exported = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
  const base64 = Buffer.from(exported)
    .toString('base64')
    .replace(/(.{64})/g, '$1\n');
  return {
    cert: certificate.toString('pem'),
    key: `-----BEGIN PRIVATE KEY-----\n${base64}\n-----END PRIVATE KEY-----\n`,
  };
}
