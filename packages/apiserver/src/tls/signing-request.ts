import { constants, createPublicKey, verify, X509Certificate } from 'node:crypto';
import { type CertificateRequest, readCertificateRequest } from './certificate-request.ts';
import { pemBlocks } from './pem-blocks.ts';

/** What is wrong with a PEM text, in the API's words. */
export class PemProblem extends Error {}

/** The organizations that a certificate request asks for. Throws a PemProblem when it is not one. */
export function requestedOrganizations(pem: string): readonly string[] {
  return parseRequest(pem).organizations;
}

/** Throws a PemProblem unless the text is a certificate request, signed with the key it is for. */
export function checkSigningRequest(pem: string): void {
  const { algorithm, publicKey, signed, signature } = parseRequest(pem);
  const { name, hash } = algorithm;
  if (hash === 'sha1')
    throw new PemProblem('x509: cannot verify signature: insecure algorithm SHA1-RSA');
  const isRsa = name.startsWith('RSA');
  const failure = isRsa ? 'crypto/rsa: verification error' : `x509: ${name} verification failure`;
  let isGood = false;
  try {
    const key = createPublicKey({ key: publicKey, format: 'der', type: 'spki' });
    const isPss = name === 'RSA-PSS';
    isGood = verify(
      hash ?? null,
      signed,
      isPss ? { key, padding: constants.RSA_PKCS1_PSS_PADDING } : key,
      signature,
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

function parseRequest(pem: string): CertificateRequest {
  const [block] = pemBlocks(pem);
  if (block?.type !== 'CERTIFICATE REQUEST')
    throw new PemProblem('PEM block type must be CERTIFICATE REQUEST');
  const request = readCertificateRequest(block.der);
  if (request === undefined)
    throw new PemProblem('asn1: structure error: malformed certificate request');
  return request;
}
