import type { ObjectReference } from '@waygate/schema';
import { isObject } from '@waygate/text';

/** An event as Flux' notification-controller takes it, and as its providers pass it on. */
export interface NotificationEvent {
  readonly involvedObject: ObjectReference;
  readonly severity: 'error' | 'info' | 'trace';
  readonly timestamp: string;
  readonly message: string;
  readonly reason: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly reportingController: string;
  readonly reportingInstance: string;
}

/** Metadata of whatever object: what its author wants to be told with each event. */
export const eventGroup = 'event.toolkit.fluxcd.io';

const severities = ['error', 'info', 'trace'] as const;

/** What a sender posted; a text says what is wrong with it. */
export function parseNotificationEvent(value: unknown): NotificationEvent | string {
  if (!isObject(value)) return 'the event is no object';
  const { involvedObject, severity } = value;
  if (!isObject(involvedObject)) return 'the event has no involvedObject';
  const text = (from: Readonly<Record<string, unknown>>, name: string): string => {
    const found = from[name];
    return typeof found === 'string' ? found : '';
  };
  if (text(involvedObject, 'kind') === '' || text(involvedObject, 'name') === '')
    return 'involvedObject has no kind and name';
  const known = severities.find((one) => one === severity);
  if (known === undefined) return `severity is none of ${severities.join(', ')}`;
  const metadata = isObject(value.metadata)
    ? Object.entries(value.metadata).flatMap(([key, one]) =>
        typeof one === 'string' ? [[key, one] as const] : [],
      )
    : [];
  return {
    involvedObject: {
      apiVersion: text(involvedObject, 'apiVersion'),
      kind: text(involvedObject, 'kind'),
      namespace: text(involvedObject, 'namespace'),
      name: text(involvedObject, 'name'),
      uid: text(involvedObject, 'uid'),
    },
    severity: known,
    timestamp: text(value, 'timestamp'),
    message: text(value, 'message'),
    reason: text(value, 'reason'),
    ...(metadata.length === 0 ? {} : { metadata: Object.fromEntries(metadata) }),
    reportingController: text(value, 'reportingController'),
    reportingInstance: text(value, 'reportingInstance'),
  };
}
