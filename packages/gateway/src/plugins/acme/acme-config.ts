import type { RedisSettings } from '../../plugin/redis-client.ts';

/** The plugin's configuration, as far as it is read; plain data, since workers send it on. */
export interface AcmeConfig {
  readonly account_email: string;
  readonly account_key: object | null;
  readonly api_uri: string;
  readonly tos_accepted: boolean;
  readonly eab_kid: string | null;
  readonly eab_hmac_key: string | null;
  readonly cert_type: 'rsa' | 'ecc';
  readonly rsa_key_size: number;
  readonly renew_threshold_days: number;
  readonly domains: readonly string[] | null;
  readonly allow_any_domain: boolean;
  readonly fail_backoff_minutes: number;
  readonly storage: 'shm' | 'kong' | 'redis' | 'consul' | 'vault';
  readonly storage_config: {
    readonly redis?: (RedisSettings & { extra_options?: { namespace?: string } | null }) | null;
  };
  readonly preferred_chain: string | null;
}

const hostName =
  /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/u;

/** Whether certificates are got for a name: one of the domains, and one that an authority can know. */
export function isMeant({ domains, allow_any_domain: isAny }: AcmeConfig, host: string): boolean {
  if (!hostName.test(host)) return false;
  return (
    isAny ||
    (domains ?? []).some((domain) => {
      const lower = domain.toLowerCase();
      if (lower.startsWith('*.')) return host.endsWith(lower.slice(1));
      return lower.endsWith('.*') ? host.startsWith(lower.slice(0, -1)) : lower === host;
    })
  );
}
