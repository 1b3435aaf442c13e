import type { UpstreamError } from '../http1/upstream-error.ts';
import type { RetryPolicy } from '../plugin/proxy-manner.ts';

/** Not sent again under a policy of retries, unless it says so. */
const unsafe: ReadonlySet<string> = new Set(['POST', 'LOCK', 'PATCH']);

/** Whether another target is tried after such an error, as far as the kind of error goes. */
export function isRetriedAfter(
  code: UpstreamError['code'],
  retry: RetryPolicy | undefined,
): boolean {
  if (retry === undefined) return code !== 'WG_GATEWAY_INVALID';
  switch (code) {
    case 'WG_GATEWAY_TIMEOUT':
      return retry.onTimeout;
    case 'WG_GATEWAY_INVALID':
      return retry.onInvalidHead;
    default:
      return retry.onError;
  }
}

/** Whether a policy lets a request be sent again that may have reached an upstream. */
export function isSentAgain(method: string, retry: RetryPolicy): boolean {
  return retry.hasUnsafeMethods || !unsafe.has(method);
}
