import { addressProblems, isInList } from '../../plugin/address-list.ts';
import { configSchema, problemsOf, record, texts } from '../../plugin/config-schema.ts';
import { definePlugin } from '../../plugin/plugin.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { variableProblem, variableText } from '../nginx/variable-text.ts';
import { type BucketLimit, LeakyBuckets } from './leaky-buckets.ts';

interface Config {
  readonly zone: string;
  readonly key: string;
  readonly limits: readonly {
    readonly rate: number;
    readonly per: 'second' | 'minute';
    readonly burst: number;
  }[];
  readonly status: number;
  readonly allow: readonly string[];
}

interface Question {
  readonly zone: string;
  readonly limits: readonly BucketLimit[];
  readonly now: number;
}

const name = 'request-rate';

/**
 * Limits the requests of each client by a leaky bucket, as nginx's `limit_req` with `nodelay`: a burst
 * passes at once, and then as much as leaks away. All processes of a node count together.
 */
export function requestRate() {
  const buckets = new LeakyBuckets();
  return definePlugin<Config>({
    name,
    isUnlisted: true,
    priority: 2_970,
    schema: configSchema({
      zone: { type: 'string', required: true },
      key: { type: 'string', required: true, default: '$remote_addr' },
      limits: {
        type: 'array',
        required: true,
        elements: record({
          rate: { type: 'integer', required: true, between: [1, 2 ** 31 - 1] },
          per: { type: 'string', required: true, default: 'second', one_of: ['second', 'minute'] },
          burst: { type: 'integer', required: true, default: 0, between: [0, 2 ** 31 - 1] },
        }),
      },
      status: { type: 'integer', required: true, default: 503, between: [400, 599] },
      allow: texts({ required: true }),
    }),
    check: ({ allow, key }) =>
      problemsOf({ allow: addressProblems(allow), key: variableProblem(key) }),
    access(context, config) {
      // One request counts once, wherever upstreams point.
      if (context.origin !== undefined) return undefined;
      const { ip } = context.client;
      const key = variableText(config.key).render(context);
      // As in nginx, what has no key is not limited.
      if (key === '' || isInList(config.allow, ip)) return undefined;
      const question: Question = {
        zone: config.zone,
        limits: config.limits.map(({ rate, per, burst }) => ({
          key: `${per} ${key}`,
          perSecond: per === 'second' ? rate : rate / 60,
          burst,
        })),
        now: context.runtime.now(),
      };
      const verdict = context.runtime.ask(name, question) as boolean | Promise<boolean>;
      if (verdict instanceof Promise) {
        return verdict.then((isWithin) => decide(context, config, isWithin));
      }
      decide(context, config, verdict);
      return undefined;
    },
    serve(question) {
      const { zone, limits, now } = question as Question;
      return buckets.take(zone, limits, now);
    },
  });
}

function decide(context: RequestContext, { status }: Config, isWithin: boolean): void {
  if (!isWithin) context.fail(status, 'too many requests');
}
