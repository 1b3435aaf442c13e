import { DeliveryError } from './provider-exchange.ts';
import type { ProviderSettings } from './provider-message.ts';

/** A repository on a server, as its clone URL names it. */
export interface RepositoryAddress {
  readonly origin: string;
  readonly host: string;
  /** `owner/name`, and more of them where groups are in groups; every part is safe in a URL. */
  readonly path: string;
}

/** The repository whose clone URL, by https or ssh, is a provider's address. */
export function repositoryOf({ address }: ProviderSettings): RepositoryAddress {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const path = (url?.pathname ?? '').replace(/^\/+|\/+$/g, '').replace(/\.git$/, '');
  if (url === undefined || !/^(https?|ssh):$/.test(url.protocol) || !path.includes('/'))
    throw new DeliveryError(
      'the address is no URL of a repository, such as https://HOST/OWNER/NAME',
    );
  const isSsh = url.protocol === 'ssh:';
  return { origin: isSsh ? `https://${url.hostname}` : url.origin, host: url.hostname, path };
}

/** Where GitHub's API is, or that of an Enterprise Server. */
export function gitHubApi({ origin, host }: RepositoryAddress): string {
  return host === 'github.com' ? 'https://api.github.com' : `${origin}/api/v3`;
}

/** How GitHub is spoken to: as an app, by a token, or by a password. */
export function gitHubHeaders({ token, password }: ProviderSettings): Record<string, string> {
  const secret = token.trim() || password;
  if (secret === '') throw new DeliveryError('GitHub needs a token in the Secret');
  return { accept: 'application/vnd.github+json', authorization: `Bearer ${secret}` };
}
