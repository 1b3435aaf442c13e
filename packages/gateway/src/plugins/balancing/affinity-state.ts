import { createHash } from 'node:crypto';
import type { RequestContext } from '../../plugin/request-context.ts';

/** Which upstream a client is bound to by its cookie, and whether that counts for this request. */
interface AffinityState {
  /** The upstream that the cookie names; undefined if it names none. */
  readonly boundTo: string | undefined;
  /** Set when the request goes where the cookie says nothing. */
  isOff: boolean;
}

const key = 'cookie-affinity';

export function keepAffinity(context: RequestContext, boundTo: string | undefined): AffinityState {
  const state: AffinityState = { boundTo, isOff: false };
  context.shared.set(key, state);
  return state;
}

export function affinityOf(context: RequestContext): AffinityState | undefined {
  return context.shared.get(key) as AffinityState | undefined;
}

/**
 * What stands for an upstream in a cookie. For one that was made from an Ingress it is what ingress-nginx
 * writes, so that clients who come with its cookie stay where they are.
 */
export function upstreamKey(upstream: string): string {
  const name = upstream.replace(/^nginx\./, '').replaceAll('.', '-');
  return md5(md5(name) + name);
}

export function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
