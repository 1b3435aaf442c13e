import { isForbidden, isNotFound } from '@waygate/kube';
import { apiVersionOf, type CoreEvent, type DynamicObject, kinds } from '@waygate/schema';
import { printYaml } from '@waygate/text';
import { isAllowed } from '../access/access-question.ts';
import type { Person } from '../access/person.ts';
import { DashboardError } from '../dashboard-error.ts';
import type { ObjectAction, ObjectPage, ShownEvent } from '../protocol/pages.ts';
import type { ShownObject } from '../protocol/reference.ts';
import { fieldOwners } from '../view/field-owners.ts';
import { needOf } from '../view/guarded.ts';
import { maskedObject } from '../view/masked-object.ts';
import { healthOf, seenObject, timeOf } from '../view/seen-object.ts';
import type { DashboardCore } from './dashboard-core.ts';
import { madeFrom, ownersOf } from './kin-of-object.ts';

const mostEvents = 100;
const longestYaml = 1024 * 1024;

/** One object, read now as the person who looks: what they may not get is not there. */
export async function objectPage(
  core: DashboardCore,
  person: Person,
  wanted: ShownObject,
  signal: AbortSignal,
): Promise<ObjectPage> {
  const { namespace, name } = wanted;
  const apiVersion = apiVersionOf(wanted.group, wanted.version);
  const resource = await person.client.resourceOf({ apiVersion, kind: wanted.kind }, { signal });
  const where = namespace === '' ? {} : { namespace };
  const found = await resource.get(name, where, { signal });
  const object: DynamicObject = { ...found, apiVersion, kind: wanted.kind };
  const rights = await core.rights.of(person);
  const seen = seenObject(object);
  const origin = core.view.originOf(wanted);
  const own = healthOf(seen);
  // What has no conditions does as well as what came of it.
  const shown = own.health === 'unknown' ? core.flowHealth(wanted, rights) : undefined;
  const { health, reason } = shown ?? own;
  const isOriginShown = origin?.kustomization && rights.allows(needOf(origin.kustomization));
  const made = await madeFrom(person.client, object, signal);
  const owned = [...(seen.inventory ?? []), ...core.view.appliersOf(wanted)];
  return {
    object: seen.object,
    yaml: shortened(printYaml(maskedObject(object) as never)),
    health,
    ...(reason === undefined ? {} : { reason }),
    ...(isOriginShown ? { origin } : {}),
    conditions: seen.conditions,
    events: await eventsOf(person, object, signal),
    owners: await ownersOf(person.client, object, signal),
    owned: [...owned.filter((each) => rights.allows(needOf(each))), ...made],
    fieldOwners: fieldOwners(found.metadata.managedFields),
    history: core.journal.ofObject(wanted, rights),
    actions: await actionsFor(
      person,
      seen.object,
      seen.stage !== 'object',
      seen.isSuspended,
      signal,
    ),
  };
}

/** Whole lines, and a word on what is missing: half an object must not look like one. */
function shortened(yaml: string): string {
  if (yaml.length <= longestYaml) return yaml;
  const end = yaml.lastIndexOf('\n', longestYaml);
  return `${yaml.slice(0, end === -1 ? longestYaml : end)}\n# … the rest is left out: it is too long to be shown\n`;
}

/** What was said of it, newest first; nothing to whoever may not read Events. */
async function eventsOf(
  { client }: Person,
  { metadata }: DynamicObject,
  signal: AbortSignal,
): Promise<readonly ShownEvent[]> {
  const scope = metadata.namespace === undefined ? {} : { namespace: metadata.namespace };
  try {
    const fieldSelector = `involvedObject.uid=${metadata.uid}`;
    const { items } = await client
      .resource(kinds.Event)
      .list({ ...scope, fieldSelector }, { signal });
    return items
      .map(shownEvent)
      .sort((left, right) => right.at - left.at)
      .slice(0, mostEvents);
  } catch (error) {
    if (isForbidden(error) || isNotFound(error)) return [];
    throw error;
  }
}

function shownEvent(event: CoreEvent): ShownEvent {
  const {
    type = 'Normal',
    reason = '',
    message = '',
    count,
    series,
    lastTimestamp,
    eventTime,
  } = event;
  const last = timeOf(lastTimestamp) ?? timeOf(series?.lastObservedTime) ?? timeOf(eventTime);
  const at = last ?? timeOf(event.metadata.creationTimestamp) ?? 0;
  return { type, reason, message, count: count ?? series?.count ?? 1, at };
}

/** What the person may do with it here: they must be allowed to change it. */
async function actionsFor(
  person: Person,
  { group, version, kind, namespace, name }: ShownObject,
  isReconciled: boolean,
  isSuspended: boolean,
  signal: AbortSignal,
): Promise<readonly ObjectAction[]> {
  if (!isReconciled) return [];
  const { plural } = await person.client.mapper.resourceOf({ group, version, kind }, { signal });
  const question = { verb: 'patch', group, resource: plural, namespace, name };
  if (!(await isAllowed(person.client, question, signal))) return [];
  return isSuspended ? ['resume'] : ['reconcile', 'suspend'];
}

const requestedAt = 'reconcile.fluxcd.io/requestedAt';

/** Does what somebody clicked, as them: the API decides whether they may. */
export async function actOn(
  person: Person,
  action: string,
  { group, version, kind, namespace, name }: ShownObject,
  nowMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { stage } = seenObject({
    apiVersion: apiVersionOf(group, version),
    kind,
    metadata: { name },
  });
  const patch = patchOf(action, nowMs);
  if (patch === undefined || stage === 'object')
    throw new DashboardError('WG_DASHBOARD_BAD_REQUEST', `there is no ${action} for a ${kind}`);
  const apiVersion = apiVersionOf(group, version);
  const resource = await person.client.resourceOf({ apiVersion, kind }, { signal });
  await resource.patch(name, patch as never, { namespace, fieldManager: 'waygate' }, { signal });
}

function patchOf(action: string, nowMs: number): object | undefined {
  if (action === 'reconcile')
    return { metadata: { annotations: { [requestedAt]: new Date(nowMs).toISOString() } } };
  if (action === 'suspend' || action === 'resume')
    return { spec: { suspend: action === 'suspend' } };
  return undefined;
}
