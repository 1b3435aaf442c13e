import type { BalancerAddress } from '../../balancer/balancer-address.ts';
import { configSchema, problemsOf } from '../../plugin/config-schema.ts';
import { definePlugin } from '../../plugin/plugin.ts';
import { variableProblem, variableText } from '../nginx/variable-text.ts';
import { rendezvous } from './rendezvous.ts';

interface Config {
  readonly value: string;
  readonly subset_size: number;
}

/** Sends requests that are alike in a text with variables to the same target, or to one of the same few. */
export const upstreamHash = definePlugin<Config>({
  name: 'upstream-hash',
  isUnlisted: true,
  priority: 84,
  schema: configSchema({
    value: { type: 'string', required: true },
    subset_size: { type: 'integer', required: true, default: 0, between: [0, 10_000] },
  }),
  check: ({ value }) => problemsOf({ value: variableProblem(value) }),
  access(context, config) {
    const key = variableText(config.value).render(context);
    context.manner = {
      ...context.manner,
      chooser: (addresses, tried) => {
        const among =
          config.subset_size > 0 ? subset(key, addresses, config.subset_size) : addresses;
        const fresh = among.filter((address) => tried?.has(address) !== true);
        return config.subset_size > 0
          ? fresh[Math.floor(Math.random() * fresh.length)]
          : rendezvous(key, fresh);
      },
    };
  },
});

/** All addresses in groups of one size, the last filled up from the first; the key chooses the group. */
function subset(
  key: string,
  addresses: readonly BalancerAddress[],
  size: number,
): readonly BalancerAddress[] {
  const sorted = [...addresses].sort((a, b) => (a.authority < b.authority ? -1 : 1));
  const groups = Array.from({ length: Math.ceil(sorted.length / size) }, (_, index) => ({
    authority: String(index),
    members: [...sorted, ...sorted].slice(
      index * size,
      index * size + Math.min(size, sorted.length),
    ),
  }));
  return rendezvous(key, groups)?.members ?? addresses;
}
