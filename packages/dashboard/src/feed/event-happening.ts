import { type CoreEvent, parseApiVersion } from '@waygate/schema';
import type { ShownObject } from '../protocol/reference.ts';
import type { Happening, RecordedObject } from '../view/happening.ts';
import { timeOf } from '../view/seen-object.ts';

const fluxGroups = /\.toolkit\.fluxcd\.io$/;

/**
 * What an Event of a source, a Kustomization or an object of the gateway tells: a revision came in, objects
 * were applied, something went wrong. Undefined for what is no news.
 */
export function eventHappening(event: CoreEvent): Happening | undefined {
  const { apiVersion = '', kind = '', namespace = '', name = '' } = event.involvedObject ?? {};
  const subject: ShownObject = { ...parseApiVersion(apiVersion), kind, namespace, name };
  const isFlux = fluxGroups.test(subject.group);
  const at =
    timeOf(event.lastTimestamp) ??
    timeOf(event.eventTime) ??
    timeOf(event.metadata.creationTimestamp) ??
    0;
  const { message = '', reason = '' } = event;
  const revision = revisionOf(event);
  const base = { at, subject, ...(revision === undefined ? {} : { revision }) };
  if (event.type === 'Warning') {
    const isOfGateway = reason.includes('KongConfiguration');
    return isFlux || isOfGateway ? { ...base, kind: 'error', message } : undefined;
  }
  if (!isFlux) return undefined;
  if (reason === 'NewArtifact') {
    const author = event.metadata.annotations?.['waygate.dev/author'];
    return {
      ...base,
      kind: 'fetch',
      message: commitSubject(message) ?? message,
      isCommit: commitSubject(message) !== undefined,
      ...(author === undefined ? {} : { author }),
    };
  }
  const objects = changedObjects(message);
  return objects.length === 0 ? undefined : { ...base, kind: 'apply', objects };
}

/** What a commit says of itself: `stored artifact for commit 'Sell more'`, as Flux tells it, too. */
function commitSubject(message: string): string | undefined {
  return /^stored artifact for commit '(.+)'$/.exec(message)?.[1];
}

/** `kustomize.toolkit.fluxcd.io/revision` and its like. */
function revisionOf({ metadata }: CoreEvent): string | undefined {
  const found = Object.entries(metadata.annotations ?? {}).find(([key]) =>
    key.endsWith('/revision'),
  );
  return found?.[1];
}

/** `Ingress/shop/web configured`, a line each; the group is not told. */
function changedObjects(message: string): readonly RecordedObject[] {
  return message.split('\n').flatMap((line): RecordedObject[] => {
    const match = /^(\w+)\/(?:([^/\s]+)\/)?([^/\s]+) (created|configured|deleted)$/.exec(
      line.trim(),
    );
    if (match === null) return [];
    const [, kind = '', namespace = '', name = '', action] = match;
    const object = { group: '', version: '', kind, namespace, name };
    return [{ object, action: action as RecordedObject['action'] }];
  });
}
