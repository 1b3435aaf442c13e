import type { DynamicObject } from '@waygate/schema';
import { equalJson } from '@waygate/text';

const advice =
  'API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed';
const adviceAfter =
  'API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests';

/** An owner that is named twice in the same words is named once, and the client is told. */
export function dropRepeatedOwners(
  object: DynamicObject,
  warn: (text: string) => void,
  isAfterAdmission = false,
): void {
  const owners = object.metadata.ownerReferences;
  if (owners === undefined || owners.length < 2) return;
  const repeated: string[] = [];
  const kept: typeof owners = [];
  for (const owner of owners) {
    if (kept.some((each) => each.uid === owner.uid && equalJson(each, owner)))
      repeated.push(owner.uid);
    else kept.push(owner);
  }
  if (repeated.length === 0) return;
  object.metadata.ownerReferences = kept;
  warn(
    isAfterAdmission
      ? `.metadata.ownerReferences contains duplicate entries after mutating admission happens; ${adviceAfter}; duplicate UID(s) observed: ${repeated.join(', ')}`
      : `.metadata.ownerReferences contains duplicate entries; ${advice}: ${repeated.join(', ')}`,
  );
}
