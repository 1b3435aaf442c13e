import type { Gateway, ListenerSet } from '../objects/gateway-api.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { allowsSetsFrom, gatewayOfSet } from '../translate/gateway/gateway-listeners.ts';
import { mergeConditions, type WantedCondition } from './conditions.ts';
import type { GatewayListeners, ListenersState } from './listener-statuses.ts';
import type { StatusPatch } from './status-writer.ts';

/** The statuses of the ListenerSets that want to be a Gateway's, and how many of them are. */
export function listenerSetStatuses(
  reader: ObjectReader,
  gateway: Gateway,
  listeners: GatewayListeners,
  now: Date,
): { readonly patches: readonly StatusPatch[]; readonly acceptedCount: number } {
  const patches: StatusPatch[] = [];
  let acceptedCount = 0;
  for (const set of reader.list<ListenerSet>('ListenerSet')) {
    if (gatewayOfSet(reader, set) !== gateway) continue;
    const isAllowed = allowsSetsFrom(reader, gateway, set.metadata.namespace ?? '');
    const state = isAllowed ? listeners.stateOf(set) : noListeners(set);
    const wanted = isAllowed ? setConditions(state) : notAllowed(gateway);
    acceptedCount += Number(wanted.some(isAcceptance));
    const { conditions, isChanged } = mergeConditions(
      set.status?.conditions ?? [],
      wanted,
      set.metadata.generation ?? 0,
      now,
    );
    if (isChanged || state.isChanged)
      patches.push({ object: set, status: { conditions, listeners: state.statuses } });
  }
  return { patches, acceptedCount };
}

function isAcceptance({ type, status }: WantedCondition): boolean {
  return type === 'Accepted' && status === 'True';
}

function noListeners({ status }: ListenerSet): ListenersState {
  const isChanged = (status?.listeners ?? []).length > 0;
  return { statuses: [], isChanged, validCount: 0, waitCount: 0 };
}

function notAllowed({ metadata }: Gateway): WantedCondition[] {
  const message = `Gateway ${metadata.namespace}/${metadata.name} allows no ListenerSets from here`;
  return ['Accepted', 'Programmed'].map((type) => ({
    type,
    status: 'False',
    reason: 'NotAllowed',
    message,
  }));
}

/** A set is as good as its listeners are: one that is right is enough to be there. */
function setConditions({ validCount, waitCount, statuses }: ListenersState): WantedCondition[] {
  const isWhole = validCount + waitCount === statuses.length;
  const whole = isWhole ? 'Accepted' : 'ListenersNotValid';
  if (validCount + waitCount === 0)
    return ['Accepted', 'Programmed'].map((type) => ({
      type,
      status: 'False',
      reason: 'ListenersNotValid',
      message: 'none of its listeners can be served',
    }));
  return [
    { type: 'Accepted', status: 'True', reason: whole },
    waitCount === 0
      ? { type: 'Programmed', status: 'True', reason: 'Programmed' }
      : { type: 'Programmed', status: 'False', reason: 'Pending' },
  ];
}
