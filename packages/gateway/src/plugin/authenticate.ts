import type { KongConsumer } from '@waygate/kong';
import type { Credential, RequestContext } from './request-context.ts';
import { withoutConsumerHeaders } from './upstream-headers.ts';

/** Notes who the request comes from, and tells the upstream. */
export function authenticate(
  context: RequestContext,
  consumer: KongConsumer | undefined,
  credential: Credential | undefined,
): void {
  context.consumer = consumer;
  context.credential = credential;
  const headers = context.upstream?.headers;
  if (headers === undefined) return;
  withoutConsumerHeaders(headers);
  const facts: readonly [string, string | null | undefined][] = [
    ['X-Consumer-ID', consumer?.id],
    ['X-Consumer-Custom-ID', consumer?.custom_id],
    ['X-Consumer-Username', consumer?.username],
    ['X-Credential-Identifier', credential?.identifier],
  ];
  for (const [name, value] of facts) {
    if (value !== undefined && value !== null) headers.set(name, value);
  }
  if (credential === undefined) headers.set('X-Anonymous-Consumer', 'true');
}

/** Whether an earlier plugin already knows who asks, so that this one may stand back. */
export function isAuthenticated(context: RequestContext, anonymous: unknown): boolean {
  return hasAnonymous(anonymous) && context.credential !== undefined;
}

/** Lets a request pass as the anonymous consumer; false if that one does not exist. */
export function authenticateAnonymous(context: RequestContext, anonymous: unknown): boolean {
  if (!hasAnonymous(anonymous)) return false;
  const { consumers } = context.snapshot;
  const consumer =
    consumers.consumer(anonymous as string) ?? consumers.consumerByUsername(anonymous as string);
  if (consumer === undefined) {
    context.fail(500, 'An unexpected error occurred');
    return true;
  }
  authenticate(context, consumer, undefined);
  return true;
}

function hasAnonymous(anonymous: unknown): boolean {
  return typeof anonymous === 'string' && anonymous !== '';
}
