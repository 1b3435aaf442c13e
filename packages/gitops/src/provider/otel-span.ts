import { createHash } from 'node:crypto';
import type { NotificationEvent } from '../api/notification-event.ts';
import type { Exchange } from './provider-exchange.ts';
import type { ProviderMessage, ProviderSettings } from './provider-message.ts';
import { addressOf, basic } from './provider-settings.ts';

/**
 * One span for each event, over OTLP/HTTP in JSON. As Flux makes them: what one Alert tells of a revision
 * is one trace, and an object at a revision one span, so that another try is the same span again.
 */
export async function sendSpan(
  { event, alert }: ProviderMessage,
  settings: ProviderSettings,
  exchange: Exchange,
): Promise<void> {
  const { kind = '', name = '', namespace = '', uid = '' } = event.involvedObject;
  // It is where charts come from, and no source of a trace.
  if (kind === 'HelmRepository') return;
  const url = addressOf(settings);
  if (url.pathname === '/') url.pathname = '/v1/traces';
  const revision = revisionOf(event);
  const { metadata: of } = alert;
  const at = Date.parse(event.timestamp);
  const nanoseconds = `${BigInt(Number.isNaN(at) ? 0 : at) * 1_000_000n}`;
  const isError = event.severity === 'error';
  const span = {
    traceId: digest(`${of.uid ?? ''}:${revision}`).slice(0, 32),
    spanId: digest(`${uid}:${revision}`).slice(0, 16),
    name: `${kind}: ${namespace}/${name}`,
    kind: 1,
    startTimeUnixNano: nanoseconds,
    endTimeUnixNano: nanoseconds,
    attributes: attributesOf({
      'object.uid': uid,
      'object.kind': kind,
      'object.name': name,
      'object.namespace': namespace,
      ...event.metadata,
    }),
    status: { code: isError ? 2 : 1, message: isError ? event.message : '' },
  };
  const resource = attributesOf({
    'service.name': `${of.namespace}/${of.name}`,
    'service.namespace': of.namespace ?? '',
    'service.instance.id': of.uid ?? '',
  });
  const scope = { name: 'flux:notification-controller' };
  await exchange({
    url,
    headers: { ...signIn(settings), ...settings.headers },
    json: {
      resourceSpans: [
        { resource: { attributes: resource }, scopeSpans: [{ scope, spans: [span] }] },
      ],
    },
  });
}

/** A password without a name is a token. */
function signIn(settings: ProviderSettings): Record<string, string> {
  const { username, password } = settings;
  if (username === '' && password !== '') return { authorization: `Bearer ${password}` };
  return basic(settings);
}

/** Some name the revision of what they are made from. */
function revisionOf({ metadata = {} }: NotificationEvent): string {
  const { revision, 'source-revision': ofSource, 'oci-digest': digestOf } = metadata;
  if (revision === undefined) return 'unknown';
  const version = metadata['app-version'];
  const ofChart =
    digestOf === undefined || version === undefined ? undefined : `${version}@${digestOf}`;
  return ofSource ?? ofChart ?? revision;
}

function attributesOf(values: Readonly<Record<string, string>>): object[] {
  return Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
