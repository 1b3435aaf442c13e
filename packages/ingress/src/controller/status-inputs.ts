import { routeKinds } from '../objects/kind-id.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { upstreamPolicyPatches } from './policy-users.ts';
import { gatewayApiPatches, type LiveObjects } from './status-reports.ts';

/**
 * Looks at everything that the conditions of the Gateway API's objects and of policies follow from, as
 * they do themselves, for a reader that notes it: whatever of it changes, they are to be made anew.
 */
export function readStatusInputs(reader: ObjectReader, controllerName: string): true {
  const now = new Date(0);
  const live: LiveObjects = new Set();
  const objects = routeKinds.flatMap((kind) => [...reader.list(kind)]);
  gatewayApiPatches({
    reader,
    controllerName,
    objects,
    live,
    problems: [],
    addresses: [],
    concernsGateways: true,
    now,
  });
  upstreamPolicyPatches(reader, controllerName, live, now);
  return true;
}
