import type { HttpTls } from '@waygate/text';
import type { NotificationEvent } from '../api/notification-event.ts';
import type { Alert, Provider } from '../api/notification-objects.ts';

/** One event on its way to one provider, because of one Alert. */
export interface ProviderMessage {
  /** Its metadata is what all have to say about it, under short names. */
  readonly event: NotificationEvent;
  readonly alert: Alert;
}

/** What a provider is sent with: its spec, and what its Secrets say. */
export interface ProviderSettings {
  readonly provider: Provider;
  readonly address: string;
  readonly channel: string;
  readonly username: string;
  readonly password: string;
  /** As it stands in the Secret: some are signed with, so that nothing is trimmed. */
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of the app of GitHub whose token it is; empty when it is none's. */
  readonly appId: string;
}

/** What one try to send has beside its message. */
export interface Surroundings {
  /** For servers that do not speak HTTP. */
  readonly tls: HttpTls;
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/** `kustomization/apps.flux-system`: what an event is about, in one word. */
export function objectWord({ involvedObject }: NotificationEvent): string {
  const { kind = '', name = '', namespace = '' } = involvedObject;
  return `${kind.toLowerCase()}/${name}.${namespace}`;
}

/** The metadata as people are shown it: the summary first, the rest by name. */
export function shownFacts({ metadata = {} }: NotificationEvent): (readonly [string, string])[] {
  const isSummary = ([name]: readonly [string, string]) => (name === 'summary' ? 0 : 1);
  return Object.entries(metadata).sort(
    (left, right) => isSummary(left) - isSummary(right) || (left[0] < right[0] ? -1 : 1),
  );
}

/** `ReconciliationFailed` as `reconciliation failed`. */
export function reasonWords(reason: string): string {
  return reason
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase();
}
