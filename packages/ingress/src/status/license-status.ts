import type { Condition } from '../objects/gateway-api.ts';
import type { KongLicenseResource } from '../objects/kong-resources.ts';
import { mergeConditions, type WantedCondition } from './conditions.ts';
import type { StatusPatch } from './status-writer.ts';

interface ControllerStatus {
  controllerName: string;
  conditions?: Condition[];
}

/** The name under which Kong Ingress Controller writes into the status of a licence. */
const controllerName = 'konghq.com/kong-ingress-controller';

/**
 * What a KongLicense should say of its use; undefined when it says so already. Of several the newest
 * is used; what other controllers say stays.
 */
export function licenseStatus(
  license: KongLicenseResource & { status?: { controllers?: ControllerStatus[] } },
  isChosen: boolean,
  now: Date,
): StatusPatch | undefined {
  const existing = license.status?.controllers ?? [];
  const own = existing.find((one) => one.controllerName === controllerName);
  const wanted: WantedCondition = isChosen
    ? { type: 'Programmed', status: 'True', reason: 'PickedAsLatest' }
    : { type: 'Programmed', status: 'False', reason: 'ReplacedByNewer' };
  const generation = license.metadata.generation ?? 0;
  const { conditions, isChanged } = mergeConditions(
    own?.conditions ?? [],
    [wanted],
    generation,
    now,
  );
  if (!isChanged) return undefined;
  const others = existing.filter((one) => one !== own);
  return { object: license, status: { controllers: [...others, { controllerName, conditions }] } };
}
