import { isInList } from '../plugin/address-list.ts';
import { definePlugin } from '../plugin/plugin.ts';

interface Config {
  readonly allow: readonly string[] | null;
  readonly deny: readonly string[] | null;
  readonly status: number | null;
  readonly message: string | null;
}

/** Lets in, or keeps out, clients by their address. */
export const ipRestriction = definePlugin<Config>({
  name: 'ip-restriction',
  priority: 990,
  access(context, config) {
    const { ip } = context.client;
    const isDenied = isListed(config.deny) && isInList(config.deny, ip);
    const isAllowed = !isListed(config.allow) || isInList(config.allow, ip);
    if (isDenied || !isAllowed) {
      context.fail(config.status ?? 403, config.message ?? `IP address not allowed: ${ip}`);
    }
  },
});

function isListed(list: readonly string[] | null): list is readonly string[] {
  return list !== null && list.length > 0;
}
