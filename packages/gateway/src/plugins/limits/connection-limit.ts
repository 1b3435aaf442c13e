import { addressProblems, isInList } from '../../plugin/address-list.ts';
import { configSchema, problemsOf, texts } from '../../plugin/config-schema.ts';
import { definePlugin } from '../../plugin/plugin.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { variableProblem, variableText } from '../nginx/variable-text.ts';
import { isProcessAlive, Slots } from './slots.ts';

interface Config {
  readonly zone: string;
  readonly key: string;
  readonly limit: number;
  readonly status: number;
  readonly allow: readonly string[];
}

interface Question {
  readonly kind: 'take' | 'give';
  readonly key: string;
  readonly limit: number;
  readonly processId: number;
}

const name = 'connection-limit';

/** Limits how many requests of each client are under way at once, over all processes of a node. */
export function connectionLimit() {
  const slots = new Slots(isProcessAlive);
  return definePlugin<Config>({
    name,
    isUnlisted: true,
    priority: 2_965,
    schema: configSchema({
      zone: { type: 'string', required: true },
      key: { type: 'string', required: true, default: '$remote_addr' },
      limit: { type: 'integer', required: true, between: [1, 2 ** 31 - 1] },
      status: { type: 'integer', required: true, default: 503, between: [400, 599] },
      allow: texts({ required: true }),
    }),
    check: ({ allow, key }) =>
      problemsOf({ allow: addressProblems(allow), key: variableProblem(key) }),
    access(context, config) {
      // One request counts once, wherever upstreams point.
      if (context.origin !== undefined) return undefined;
      const key = variableText(config.key).render(context);
      if (key === '' || isInList(config.allow, context.client.ip)) return undefined;
      return takeSlot(context, config, JSON.stringify([config.zone, key]));
    },
    serve(question) {
      const { kind, key, limit, processId } = question as Question;
      if (kind === 'take') return slots.take(key, limit, processId);
      slots.give(key, processId);
      return true;
    },
  });
}

/** The slot is given back when the answer is out or the client is gone, also if that is before it was got. */
function takeSlot(context: RequestContext, config: Config, key: string): Promise<void> | undefined {
  const ask = (kind: Question['kind']) =>
    context.runtime.ask(name, { kind, key, limit: config.limit, processId: process.pid }) as
      | boolean
      | Promise<boolean>;
  const give = () => {
    const given = ask('give');
    if (given instanceof Promise) given.catch(() => {});
  };
  let isClosed = false;
  let isHeld = false;
  context.reply.whenClosed(() => {
    isClosed = true;
    if (isHeld) give();
  });
  const decide = (isFree: boolean) => {
    if (!isFree) {
      context.fail(config.status, 'too many requests at once');
    } else if (isClosed) {
      give();
    } else {
      isHeld = true;
    }
  };
  const verdict = ask('take');
  if (verdict instanceof Promise) return verdict.then(decide);
  decide(verdict);
  return undefined;
}
