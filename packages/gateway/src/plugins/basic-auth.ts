import { createHash, timingSafeEqual } from 'node:crypto';
import { authenticate, authenticateAnonymous, isAuthenticated } from '../plugin/authenticate.ts';
import { definePlugin } from '../plugin/plugin.ts';
import type { RequestContext } from '../plugin/request-context.ts';

interface Config {
  readonly anonymous: string | null;
  readonly hide_credentials: boolean;
  readonly realm: string;
}

/** Lets in who has a user name and a password. */
export const basicAuth = definePlugin<Config>({
  name: 'basic-auth',
  priority: 1_100,
  access(context, config) {
    if (isAuthenticated(context, config.anonymous)) return;
    const isKnown = ['proxy-authorization', 'authorization'].some((header) =>
      tryHeader(context, config, header),
    );
    if (!isKnown && !authenticateAnonymous(context, config.anonymous)) {
      context.fail(401, 'Unauthorized', { 'WWW-Authenticate': `Basic realm="${config.realm}"` });
    }
  },
});

function tryHeader(context: RequestContext, config: Config, header: string): boolean {
  const encoded = /^\s*basic\s+([A-Za-z0-9+/=]+)\s*$/i.exec(context.headers.get(header) ?? '')?.[1];
  if (encoded === undefined) return false;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon <= 0) return false;
  if (config.hide_credentials) context.upstream?.headers.remove(header);
  const { consumers } = context.snapshot;
  const username = text.slice(0, colon);
  const stored = consumers.credential('basicauth_credentials', 'username', username);
  const consumerId = (stored?.consumer as { id?: string } | null | undefined)?.id ?? '';
  const given = createHash('sha1')
    .update(text.slice(colon + 1) + consumerId)
    .digest();
  const wanted = Buffer.from(String(stored?.password ?? ''), 'hex');
  if (stored === undefined || wanted.length !== given.length || !timingSafeEqual(wanted, given)) {
    return false;
  }
  authenticate(context, consumers.consumer(consumerId), { id: stored.id, identifier: username });
  return true;
}
