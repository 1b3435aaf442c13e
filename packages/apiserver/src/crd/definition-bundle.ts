import { X509Certificate } from 'node:crypto';
import { pemBlocks } from '../tls/pem-blocks.ts';
import type { Definition } from './definition.ts';

/** Why the authorities that a conversion webhook is believed by cannot be read; none at all are right. */
export function bundleProblem({ spec }: Definition): string | undefined {
  const client = spec.conversion?.webhook?.clientConfig as { caBundle?: string } | undefined;
  const text = Buffer.from(client?.caBundle ?? '', 'base64').toString('latin1');
  if (text === '') return undefined;
  const blocks = [...pemBlocks(text)];
  const certificates = blocks.filter(
    ({ type, hasHeaders }) => type === 'CERTIFICATE' && !hasHeaders,
  );
  // As in Go, one that can be read is enough.
  if (certificates.some(({ der }) => isCertificate(der))) return undefined;
  const why =
    blocks.length === 0
      ? 'unable to parse bytes as PEM block'
      : certificates.length === 0
        ? 'no valid certificate authority data seen'
        : 'failed to parse certificate: x509: malformed certificate';
  return `unable to load root certificates: ${why}`;
}

function isCertificate(der: Buffer): boolean {
  try {
    return new X509Certificate(der).raw.length > 0;
  } catch {
    return false;
  }
}
