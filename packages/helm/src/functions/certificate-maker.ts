import type { KeyObject } from 'node:crypto';
import { type CertificateSigner, makeCertificate } from '@waygate/text';
import { GoError } from '../go/function.ts';

/** What a template's certificate says. */
export interface TemplateCertificate {
  readonly commonName: string;
  readonly addresses: readonly string[];
  readonly names: readonly string[];
  readonly from: Date;
  readonly to: Date;
  readonly isAuthority: boolean;
  readonly serial: bigint;
  readonly key: KeyObject;
}

const usage = ['digitalSignature', 'keyEncipherment'] as const;
const signingKeys: ReadonlySet<string | undefined> = new Set(['rsa', 'ec', 'ed25519']);

/** Makes a certificate as sprig does, in DER. */
export function makeTemplateCertificate(
  { commonName, ...content }: TemplateCertificate,
  signer?: CertificateSigner,
): Buffer {
  if (!signingKeys.has((signer?.key ?? content.key).asymmetricKeyType))
    throw new GoError(
      'error creating certificate: x509: only RSA, ECDSA and Ed25519 keys supported',
    );
  return makeCertificate(
    {
      ...content,
      subject: commonName === '' ? [] : [['CN', commonName]],
      usage: content.isAuthority ? [...usage, 'keyCertSign'] : usage,
      purposes: ['serverAuth', 'clientAuth'],
    },
    signer,
  );
}
