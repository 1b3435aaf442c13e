import { type AddressRange, parseAddressRanges } from '@waygate/text';
import { definePlugin } from '../plugin/plugin.ts';

interface Config {
  readonly allow: readonly string[] | null;
  readonly deny: readonly string[] | null;
  readonly status: number | null;
  readonly message: string | null;
}

const ranges = new WeakMap<readonly string[], AddressRange>();

/** Lets in, or keeps out, clients by their address. */
export const ipRestriction = definePlugin<Config>({
  name: 'ip-restriction',
  priority: 990,
  access(context, config) {
    const { ip } = context.client;
    const isDenied = isListed(config.deny) && rangeOf(config.deny).contains(ip);
    const isAllowed = !isListed(config.allow) || rangeOf(config.allow).contains(ip);
    if (isDenied || !isAllowed) {
      context.fail(config.status ?? 403, config.message ?? `IP address not allowed: ${ip}`);
    }
  },
});

function isListed(list: readonly string[] | null): list is readonly string[] {
  return list !== null && list.length > 0;
}

/** An entry that cannot be read was refused by the schema; should one come, nobody is in it. */
function rangeOf(list: readonly string[]): AddressRange {
  let range = ranges.get(list);
  if (range === undefined) {
    range = parseAddressRanges(list) ?? { contains: () => false };
    ranges.set(list, range);
  }
  return range;
}
