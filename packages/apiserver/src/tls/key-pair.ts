import { createPrivateKey, X509Certificate } from 'node:crypto';
import { type PemBlock, pemBlocks } from './pem-blocks.ts';

/** Why a certificate and a key are no pair, in the words of Go's TLS; undefined when they are one. */
export function keyPairProblem(certificate: string, key: string): string | undefined {
  const chain = [...pemBlocks(certificate)];
  const leaf = chain.find((block) => block.type === 'CERTIFICATE');
  if (leaf === undefined) return missing(chain, 'certificate', '"CERTIFICATE"');
  const keys = [...pemBlocks(key)];
  const own = keys.find(
    (block) => block.type === 'PRIVATE KEY' || block.type.endsWith(' PRIVATE KEY'),
  );
  if (own === undefined) return missing(keys, 'key', 'with type ending in "PRIVATE KEY"');
  try {
    const parsed = new X509Certificate(leaf.der);
    const privateKey = privateKeyOf(own);
    if (privateKey === undefined) return 'tls: failed to parse private key';
    return parsed.checkPrivateKey(privateKey)
      ? undefined
      : 'tls: private key does not match public key';
  } catch {
    return 'x509: malformed certificate';
  }
}

function missing(blocks: readonly PemBlock[], input: string, wanted: string): string {
  if (blocks.length === 0) return `tls: failed to find any PEM data in ${input} input`;
  if (input === 'key' && blocks.length === 1 && blocks[0]?.type === 'CERTIFICATE') {
    return 'tls: found a certificate rather than a key in the PEM for the private key';
  }
  if (input === 'certificate' && blocks.length === 1 && blocks[0]?.type.endsWith('PRIVATE KEY')) {
    return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
  }
  const types = blocks.map((block) => block.type).join(' ');
  const what = input === 'key' ? `PEM block ${wanted}` : `${wanted} PEM block`;
  return `tls: failed to find ${what} in ${input} input after skipping PEM blocks of the following types: [${types}]`;
}

function privateKeyOf(block: PemBlock) {
  for (const type of ['pkcs8', 'pkcs1', 'sec1'] as const) {
    try {
      return createPrivateKey({ key: block.der, format: 'der', type });
    } catch {
      // Another of the three, or none.
    }
  }
  return undefined;
}
