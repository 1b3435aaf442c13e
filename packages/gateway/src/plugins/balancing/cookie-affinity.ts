import type { BalancerAddress } from '../../balancer/balancer-address.ts';
import { configSchema, problemsOf, texts } from '../../plugin/config-schema.ts';
import { definePlugin } from '../../plugin/plugin.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { cookieValue } from '../nginx/variable-text.ts';
import { type AffinityCookie, affinityCookie } from './affinity-cookie.ts';
import { affinityOf, keepAffinity, md5, upstreamKey } from './affinity-state.ts';
import { rendezvous } from './rendezvous.ts';

interface Config extends AffinityCookie {
  readonly mode: 'balanced' | 'persistent';
  readonly change_on_failure: boolean;
  readonly upstreams: readonly string[];
  readonly set_cookie: boolean;
}

const cookieKey = 'cookie-affinity cookie';
/** Keys that are made to find one that leads past the targets which failed. */
const maximumKeys = 20;
let made = 0;

/** Leads a client to the target that it was led to first, by a cookie of ingress-nginx's form. */
export const cookieAffinity = definePlugin<Config>({
  name: 'cookie-affinity',
  isUnlisted: true,
  priority: 92,
  schema: createSchema(),
  check: ({ cookie, path, domain }) =>
    problemsOf({
      cookie: /^[\w!#$%&'*+\-.^`|~]+$/.test(cookie) ? undefined : 'is no name of a cookie',
      path: attributeProblem(path ?? ''),
      domain: attributeProblem(domain ?? ''),
    }),
  access(context, config) {
    const value = cookieValue(context.headers.getAll('cookie'), config.cookie);
    const [wanted, bound] = (value ?? '').split('|', 2);
    const state = keepAffinity(
      context,
      config.upstreams.find((upstream) => upstreamKey(upstream) === bound),
    );
    const usual = context.service?.host ?? '';
    context.manner = {
      ...context.manner,
      chooser: (addresses, tried) => {
        if (state.isOff) return undefined;
        const upstream = context.manner?.destination?.host ?? usual;
        const known = wanted ? find(config, upstream, wanted, addresses) : undefined;
        const isKept = known !== undefined && !(config.change_on_failure && tried !== undefined);
        return isKept ? known : pickNew(context, config, upstream, addresses, tried);
      },
    };
  },
  headerFilter(context) {
    const cookie = context.shared.get(cookieKey);
    if (typeof cookie === 'string' && affinityOf(context)?.isOff !== true) {
      context.response?.headers.add('Set-Cookie', cookie);
    }
  },
});

function find(
  { mode }: Config,
  upstream: string,
  key: string,
  addresses: readonly BalancerAddress[],
): BalancerAddress | undefined {
  return mode === 'balanced'
    ? rendezvous(key, addresses)
    : addresses.find((address) => nodeKey(upstream, address) === key);
}

function pickNew(
  context: RequestContext,
  config: Config,
  upstream: string,
  addresses: readonly BalancerAddress[],
  tried: ReadonlySet<BalancerAddress> | undefined,
): BalancerAddress | undefined {
  const picked =
    config.mode === 'persistent'
      ? pickNode(upstream, addresses, tried)
      : pickKey(context, addresses, tried);
  if (picked !== undefined && config.set_cookie) {
    const value = `${picked.key}|${upstreamKey(upstream)}`;
    context.shared.set(cookieKey, affinityCookie(context, config, value));
  }
  return picked?.address;
}

interface Picked {
  readonly key: string;
  readonly address: BalancerAddress;
}

function pickNode(
  upstream: string,
  addresses: readonly BalancerAddress[],
  tried: ReadonlySet<BalancerAddress> | undefined,
): Picked | undefined {
  const fresh = addresses.filter((address) => tried?.has(address) !== true);
  const address = fresh[Math.floor(Math.random() * fresh.length)];
  return address === undefined ? undefined : { key: nodeKey(upstream, address), address };
}

/** A new key, and the address that it leads to. */
function pickKey(
  context: RequestContext,
  addresses: readonly BalancerAddress[],
  tried: ReadonlySet<BalancerAddress> | undefined,
): Picked | undefined {
  const now = (context.runtime.now() / 1_000).toFixed(3);
  for (let turn = 0; turn < maximumKeys; turn += 1) {
    made = (made + 1) % 1_000_000;
    const key = `${now}.${made}.${process.pid}.${Math.floor(Math.random() * 1_000_000)}`;
    const address = rendezvous(key, addresses);
    if (address !== undefined && tried?.has(address) !== true) return { key, address };
  }
  return undefined;
}

function nodeKey(upstream: string, { authority }: BalancerAddress): string {
  return md5(upstream.replace(/^nginx\./, '').replaceAll('.', '-') + authority);
}

function attributeProblem(value: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
  return /[;,\s\x00-\x1f\x7f]/.test(value)
    ? 'blanks, commas and semicolons are not allowed'
    : undefined;
}

function createSchema() {
  const flag = (isOn: boolean) => ({ type: 'boolean', required: true, default: isOn });
  return configSchema({
    cookie: { type: 'string', required: true, default: 'INGRESSCOOKIE' },
    path: { type: 'string' },
    domain: { type: 'string' },
    expires: { type: 'integer' },
    max_age: { type: 'integer' },
    samesite: { type: 'string', one_of: ['Strict', 'Lax', 'None'] },
    conditional_samesite_none: flag(false),
    secure: { type: 'boolean' },
    mode: {
      type: 'string',
      required: true,
      default: 'balanced',
      one_of: ['balanced', 'persistent'],
    },
    change_on_failure: flag(false),
    upstreams: texts({ required: true }),
    set_cookie: flag(true),
  });
}
