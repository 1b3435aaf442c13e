import 'reflect-metadata';
import { constants, createPublicKey, verify, X509Certificate } from 'node:crypto';
import { Pkcs10CertificateRequest } from '@peculiar/x509';
import { pemBlocks } from './pem-blocks.ts';

/** What is wrong with a PEM text, in the API's words. */
export class PemProblem extends Error {}

/** The organizations that a certificate request asks for. Throws a PemProblem when it is not one. */
export function requestedOrganizations(pem: string): readonly string[] {
  const request = parseRequest(pem);
  return request.subjectName.getField('O');
}

/** Throws a PemProblem unless the text is a certificate request, signed with the key it is for. */
export function checkSigningRequest(pem: string): void {
  const request = parseRequest(pem);
  const { name, hash } = request.signatureAlgorithm as { name: string; hash?: { name: string } };
  if (hash?.name === 'SHA-1')
    throw new PemProblem('x509: cannot verify signature: insecure algorithm SHA1-RSA');
  const isRsa = name.startsWith('RSA');
  const failure = isRsa ? 'crypto/rsa: verification error' : `x509: ${name} verification failure`;
  let isGood = false;
  try {
    const key = createPublicKey({
      key: Buffer.from(request.publicKey.rawData),
      format: 'der',
      type: 'spki',
    });
    const digest = hash === undefined ? null : hash.name.replace('-', '').toLowerCase();
    const isPss = name === 'RSA-PSS';
    isGood = verify(
      digest,
      firstElement(Buffer.from(request.rawData)),
      isPss ? { key, padding: constants.RSA_PKCS1_PSS_PADDING } : key,
      Buffer.from(request.signature),
    );
  } catch {
    throw new PemProblem(failure);
  }
  if (!isGood) throw new PemProblem(failure);
}

/** Throws a PemProblem unless the text is one or more certificates and nothing else. */
export function checkCertificates(pem: string): void {
  let count = 0;
  for (const block of pemBlocks(pem)) {
    if (block.type !== 'CERTIFICATE') {
      throw new PemProblem(
        `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(block.type)}`,
      );
    }
    if (block.hasHeaders) throw new PemProblem('no PEM block headers are permitted');
    count++;
    try {
      new X509Certificate(block.der);
    } catch {
      throw new PemProblem('x509: malformed certificate');
    }
  }
  if (count === 0) throw new PemProblem('must contain at least one CERTIFICATE PEM block');
}

function parseRequest(pem: string): Pkcs10CertificateRequest {
  const [block] = pemBlocks(pem);
  if (block?.type !== 'CERTIFICATE REQUEST')
    throw new PemProblem('PEM block type must be CERTIFICATE REQUEST');
  try {
    return new Pkcs10CertificateRequest(block.der);
  } catch {
    throw new PemProblem('asn1: structure error: malformed certificate request');
  }
}

/** The first element of a DER sequence, with its head: what the signature of a request is over. */
function firstElement(der: Buffer): Buffer {
  const { bodyStart } = head(der, 0);
  const first = head(der, bodyStart);
  return der.subarray(bodyStart, first.bodyStart + first.length);
}

function head(der: Buffer, at: number): { bodyStart: number; length: number } {
  const short = der[at + 1] ?? 0;
  if (short < 0x80) return { bodyStart: at + 2, length: short };
  const bytes = short & 0x7f;
  let length = 0;
  for (let i = 0; i < bytes; i++) length = length * 256 + (der[at + 2 + i] ?? 0);
  return { bodyStart: at + 2 + bytes, length };
}
