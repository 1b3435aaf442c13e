import type { SecretData } from '../api/secret-data.ts';
import { GitOpsError } from '../gitops-error.ts';

/**
 * The proxy that a Secret describes by `address`, `username` and `password`.
 *
 * @throws GitOpsError `WG_GITOPS_AUTH` when it has no address that could be one
 */
export function proxyUrlOf(secret: SecretData | undefined): URL | undefined {
  if (secret === undefined) return undefined;
  const { address = '', username, password } = secret;
  if (address === '') {
    throw new GitOpsError('WG_GITOPS_AUTH', "invalid proxy secret: key 'address' is missing");
  }
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    throw new GitOpsError('WG_GITOPS_AUTH', 'invalid proxy secret: its address is no URL');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new GitOpsError(
      'WG_GITOPS_AUTH',
      `invalid proxy secret: proxies of kind '${url.protocol}' are not supported`,
    );
  }
  if (username !== undefined) url.username = username;
  if (password !== undefined) url.password = password;
  return url;
}
