import { parseDuration } from '@waygate/text';
import type { HttpRouteRule } from '../../objects/gateway-api.ts';
import type { ServiceEntity } from '../kong-state.ts';

/** The longest that Kong can wait: what stands for no limit. */
const endlessMs = 2 ** 31 - 2;

/** How long a rule lets its backend take, as the Kong service that leads there has it. */
export function applyTimeouts(
  entity: ServiceEntity,
  { timeouts }: HttpRouteRule,
  hasOwnPlugins: boolean,
): void {
  const total = hasOwnPlugins ? timeouts?.request : undefined;
  const text = timeouts?.backendRequest ?? total;
  if (!text) return;
  let givenMs: number;
  try {
    givenMs = parseDuration(text);
  } catch {
    return; // The API server lets only durations in; a file may hold anything.
  }
  if (givenMs < 0) return;
  // 0s is the Gateway API's word for no limit; Kong takes whole milliseconds from 1 on.
  const timeoutMs =
    givenMs === 0 ? endlessMs : Math.min(Math.max(Math.trunc(givenMs), 1), endlessMs);
  // Tries in a row would take as often the time that one may take.
  if (hasOwnPlugins && givenMs > 0) entity.retries = 0;
  entity.connect_timeout = timeoutMs;
  entity.read_timeout = timeoutMs;
  entity.write_timeout = timeoutMs;
}
