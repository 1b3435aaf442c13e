import { addressProblems, isInList } from '../plugin/address-list.ts';
import { configSchema, problemsOf, texts } from '../plugin/config-schema.ts';
import { definePlugin } from '../plugin/plugin.ts';
import { admit, isSatisfied, keepOut, type Satisfy, satisfyField } from '../plugin/satisfy.ts';

interface Config {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly status: number;
  readonly satisfy: Satisfy;
}

/**
 * Lets in, or keeps out, clients by their address, before they are asked who they are; Kong's
 * `ip-restriction` looks after that. What is denied is denied, whatever is allowed.
 */
export const addressFilter = definePlugin<Config>({
  name: 'address-filter',
  isUnlisted: true,
  priority: 2_950,
  schema: configSchema({
    allow: texts({ required: true }),
    deny: texts({ required: true }),
    status: { type: 'integer', required: true, default: 403, between: [400, 599] },
    satisfy: satisfyField,
  }),
  check: ({ allow, deny }) =>
    problemsOf({ allow: addressProblems(allow), deny: addressProblems(deny) }),
  access(context, config) {
    if (isSatisfied(context, config.satisfy)) return;
    const { allow, deny, satisfy, status } = config;
    const { ip } = context.client;
    const isIn = !isInList(deny, ip) && (allow.length === 0 || isInList(allow, ip));
    if (!isIn) {
      keepOut(context, satisfy, () => context.fail(status, `IP address not allowed: ${ip}`));
    } else if (allow.length > 0) {
      // Who is merely not denied has not shown anything that would do instead of a password.
      admit(context, satisfy);
    }
  },
});
