import { createHash } from 'node:crypto';
import { eventGroup, type NotificationEvent } from '../api/notification-event.ts';
import type { Alert } from '../api/notification-objects.ts';
import { changeRequestKey } from '../provider/change-comments.ts';
import type { ProviderType } from '../provider/provider-types.ts';

/** Says that an event is only of use where a commit is marked, or a program listens. */
const commitStatusKey = 'commit_status';
/** Tells events apart that say the same; it is nobody else's business. */
const tokenKey = 'token';
const unwanted = new Set(['checksum', 'digest']);

const groupOf = ({ involvedObject }: NotificationEvent) =>
  (involvedObject.apiVersion ?? '').split('/')[0] ?? '';

/** What an event says of itself, by who said it and under short names. */
export interface EventFacts {
  /** Of the object's own annotations. */
  readonly ofAuthor: Readonly<Record<string, string>>;
  /** Of the controller that told. */
  readonly ofController: Readonly<Record<string, string>>;
}

/** Only what is under the two groups of names counts. */
export function factsOf(event: NotificationEvent): EventFacts {
  const ofAuthor: Record<string, string> = {};
  const ofController: Record<string, string> = {};
  const prefix = `${groupOf(event)}/`;
  for (const [key, value] of Object.entries(event.metadata ?? {})) {
    const slash = key.lastIndexOf('/');
    const name = key.slice(slash + 1);
    if (unwanted.has(name)) continue;
    if (key.startsWith(`${eventGroup}/`)) ofAuthor[name] = value;
    else if (key.slice(0, slash + 1) === prefix) ofController[name] = value;
  }
  return { ofAuthor, ofController };
}

/** What two events have in common that need not both be told. Severity and reason are no part of it. */
export function limitKey(
  { involvedObject, message }: NotificationEvent,
  facts: EventFacts,
): string {
  const { name, namespace, kind } = involvedObject;
  const parts = [`event/name=${name}/namespace=${namespace}/kind=${kind}/message=${message}`];
  for (const key of ['originRevision', 'revision', tokenKey]) {
    const value = facts.ofController[key];
    if (value !== undefined) parts.push(`/${key}=${value}`);
  }
  return createHash('sha256').update(parts.join('')).digest('hex');
}

/** Whether an event is of use to a provider that tells these. */
export function isFor(
  tells: ProviderType['tells'],
  { severity }: NotificationEvent,
  { ofAuthor, ofController }: EventFacts,
): boolean {
  if (tells === 'everything') return true;
  const isUpdate = ofController[commitStatusKey] === 'update';
  if (tells === 'people') return !isUpdate;
  if (tells === 'changes') return ofAuthor[changeRequestKey] !== undefined;
  return isUpdate || ofAuthor.commit !== undefined || severity === 'error';
}

/** All that is said about an event, and which names were said twice. The controller has the last word. */
export function toldMetadata(
  facts: EventFacts,
  { spec }: Alert,
): { readonly metadata: Readonly<Record<string, string>>; readonly doubled: readonly string[] } {
  const { [tokenKey]: _token, ...ofController } = facts.ofController;
  const summary = spec.summary ? { summary: spec.summary } : {};
  const layers = [facts.ofAuthor, spec.eventMetadata ?? {}, summary, ofController];
  const metadata: Record<string, string> = {};
  const doubled = new Set<string>();
  for (const [key, value] of layers.flatMap((layer) => Object.entries(layer))) {
    if (Object.hasOwn(metadata, key) && metadata[key] !== value) doubled.add(key);
    metadata[key] = value;
  }
  return { metadata, doubled: [...doubled].sort() };
}
