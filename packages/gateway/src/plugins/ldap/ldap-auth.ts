import { createHash } from 'node:crypto';
import { authenticate, authenticateAnonymous, isAuthenticated } from '../../plugin/authenticate.ts';
import { type AnyPlugin, definePlugin } from '../../plugin/plugin.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { escapedName, ldapBind } from './ldap-bind.ts';

interface LdapConfig {
  readonly ldap_host: string;
  readonly ldap_port: number;
  readonly ldaps: boolean;
  readonly start_tls: boolean;
  readonly verify_ldap_host: boolean;
  readonly base_dn: string;
  readonly attribute: string;
  /** Seconds. */
  readonly cache_ttl: number;
  readonly hide_credentials: boolean;
  readonly timeout: number;
  readonly anonymous: string | null;
  readonly header_type: string | null;
  readonly realm: string | null;
}

interface Asked {
  readonly isKnown: Promise<boolean>;
  readonly until: number;
}

/** Names and passwords that are remembered: a client may send any number of wrong ones. */
const maximumRemembered = 10_000;

/** Lets in who a directory knows. What it said is remembered for `cache_ttl`. */
export function ldapAuth(): AnyPlugin {
  const remembered = new Map<string, Asked>();

  const ask = (context: RequestContext, config: LdapConfig, name: string, password: string) => {
    const now = context.runtime.now();
    const key = rememberedKey(config, name, password);
    const known = remembered.get(key);
    if (known !== undefined && known.until > now) return known.isKnown;
    const directory = {
      host: config.ldap_host,
      port: config.ldap_port,
      timeoutMs: config.timeout,
      tls: config.ldaps ? 'ldaps' : config.start_tls ? 'start_tls' : 'none',
      isVerified: config.verify_ldap_host,
    } as const;
    const who = `${config.attribute}=${escapedName(name)},${config.base_dn}`;
    const isKnown = ldapBind(directory, who, password);
    if (remembered.size >= maximumRemembered) {
      remembered.delete(remembered.keys().next().value ?? '');
    }
    remembered.set(key, { isKnown, until: now + config.cache_ttl * 1_000 });
    // What could not be asked is asked again.
    isKnown.catch(() => remembered.delete(key));
    return isKnown;
  };

  const check = async (
    context: RequestContext,
    config: LdapConfig,
  ): Promise<'in' | 'out' | 'failed'> => {
    for (const header of ['proxy-authorization', 'authorization']) {
      const given = credentialsOf(context.headers.get(header), config.header_type ?? 'ldap');
      if (given === undefined) continue;
      try {
        if (await ask(context, config, given.name, given.password)) {
          if (config.hide_credentials) {
            context.upstream?.headers.remove('authorization');
            context.upstream?.headers.remove('proxy-authorization');
          }
          authenticate(context, undefined, { id: given.name, identifier: given.name });
          return 'in';
        }
      } catch (error) {
        const { ldap_host: host, ldap_port: port } = config;
        context.runtime.log.error('a directory cannot be asked', {
          host,
          port,
          error: String(error),
        });
        return 'failed';
      }
    }
    return 'out';
  };

  return definePlugin<LdapConfig>({
    name: 'ldap-auth',
    priority: 1_200,
    async access(context, config) {
      if (isAuthenticated(context, config.anonymous)) return;
      const outcome = await check(context, config);
      if (outcome === 'failed') {
        context.fail(500, 'An unexpected error occurred');
      } else if (outcome === 'out' && !authenticateAnonymous(context, config.anonymous)) {
        const type = config.header_type ?? 'ldap';
        const scheme = type === 'ldap' ? 'LDAP' : type;
        const realm = config.realm === null ? '' : ` realm="${config.realm}"`;
        context.fail(401, 'Unauthorized', { 'WWW-Authenticate': `${scheme}${realm}` });
      }
    },
    close: () => remembered.clear(),
  });
}

/** No password is kept, only what tells it from others. */
function rememberedKey(config: LdapConfig, name: string, password: string): string {
  const { ldap_host, ldap_port, base_dn, attribute, cache_ttl } = config;
  return createHash('sha256')
    .update(JSON.stringify([ldap_host, ldap_port, base_dn, attribute, cache_ttl, name, password]))
    .digest('base64');
}

function credentialsOf(
  header: string | undefined,
  type: string,
): { readonly name: string; readonly password: string } | undefined {
  const [, scheme = '', encoded = ''] = /^\s*(\S+)\s+(\S+)\s*$/.exec(header ?? '') ?? [];
  if (scheme.toLowerCase() !== type.toLowerCase()) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon <= 0 || colon === text.length - 1
    ? undefined
    : { name: text.slice(0, colon), password: text.slice(colon + 1) };
}
