import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** A certificate and its key, as PEM. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

const twentyYearsMs = 20 * 365 * 24 * 3_600_000;

let made: Promise<CertificatePair> | undefined;

/**
 * The certificate that is served for names without one: made once in a process, since that takes a
 * while, signed by itself, and named as Kong's, so that people recognise it.
 */
export function defaultCertificate(): Promise<CertificatePair> {
  made ??= create(Date.now());
  return made;
}

async function create(now: number): Promise<CertificatePair> {
  const crypto = webcrypto;
  x509.cryptoProvider.set(crypto as never);
  // RSA, not ECDSA: Node adds the certificate for a name to the default one instead of replacing it when
  // their keys are of different types, and clients then choose; they prefer ECDSA.
  const algorithm = {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    publicExponent: new Uint8Array([1, 0, 1]),
    modulusLength: 2_048,
  };
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
