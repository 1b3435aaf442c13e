import { rootCertificates } from 'node:tls';
import type { HttpTls } from '@waygate/text';
import type { SecretData } from '../api/secret-data.ts';
import { GitOpsError } from '../gitops-error.ts';

/**
 * What a Secret with `ca.crt`, `tls.crt` and `tls.key`, or with the older names of them, means. An
 * authority comes on top of those that the machine trusts.
 *
 * @throws GitOpsError `WG_GITOPS_AUTH` when there is nothing of use in it
 */
export function tlsSettingsOf(secret: SecretData | undefined, name: string): HttpTls {
  if (secret === undefined) return {};
  const ca = secret['ca.crt'] ?? secret.caFile;
  const cert = secret['tls.crt'] ?? secret.certFile;
  const key = secret['tls.key'] ?? secret.keyFile;
  if ((cert === undefined) !== (key === undefined)) {
    throw new GitOpsError(
      'WG_GITOPS_AUTH',
      `invalid '${name}' secret data: 'tls.crt' and 'tls.key' belong together`,
    );
  }
  if (ca === undefined && cert === undefined) {
    throw new GitOpsError(
      'WG_GITOPS_AUTH',
      `invalid '${name}' secret data: neither 'ca.crt' nor 'tls.crt' and 'tls.key' are in it`,
    );
  }
  return {
    ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
    ...(cert === undefined ? {} : { cert, key }),
  };
}
