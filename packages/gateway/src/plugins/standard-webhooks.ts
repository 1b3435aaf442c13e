import { createHmac, timingSafeEqual } from 'node:crypto';
import { definePlugin } from '../plugin/plugin.ts';
import { readBody } from '../proxy/request-body.ts';

interface StandardWebhooksConfig {
  readonly secret_v1: string;
  readonly tolerance_second: number;
}

const maximumBodyBytes = 8 * 1_024 * 1_024;

/** Lets in what is signed as the Standard Webhooks specification says. Anything else is a 400, as in Kong. */
export const standardWebhooks = definePlugin<StandardWebhooksConfig>({
  name: 'standard-webhooks',
  priority: 760,
  async access(context, config) {
    const { headers } = context;
    const id = headers.get('webhook-id');
    const signature = headers.get('webhook-signature');
    const timestamp = headers.get('webhook-timestamp');
    const seconds = Number(timestamp ?? Number.NaN);
    const age = context.runtime.now() / 1_000 - (Number.isNaN(seconds) ? 0 : seconds);
    const isComplete = id !== undefined && signature !== undefined && timestamp !== undefined;
    if (!isComplete || age > config.tolerance_second) {
      context.fail(400, 'Bad request');
      return;
    }
    const body = await readBody(context, maximumBodyBytes);
    if (body === undefined || body.length === 0) {
      context.fail(400, 'Bad request');
      return;
    }
    const mac = createHmac('sha256', config.secret_v1)
      .update(`${id}.${seconds}.`)
      .update(body)
      .digest('base64');
    if (!isSame(signature, `v1,${mac}`)) context.fail(400, 'Bad request');
  },
});

function isSame(one: string, two: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(two)];
  return first.length === second.length && timingSafeEqual(first, second);
}
