import { receiverTypes } from '@waygate/gitops';
import {
  type FluxCreate,
  kindNameNamespace,
  nameReference,
  objectFrom,
  refused,
  required,
} from './created-object.ts';

const group = 'notification.toolkit.fluxcd.io';

const alert: FluxCreate = {
  path: ['alert'],
  summary: 'Create or update an Alert',
  noun: 'Alert',
  hasStatus: false,
  example: 'on-call --provider-ref=chat --event-severity=error --event-source=Kustomization/*',
  flags: [
    { name: 'provider-ref', summary: 'the Provider that sends' },
    { name: 'event-severity', summary: 'info or error' },
    {
      name: 'event-source',
      kind: 'list',
      summary: 'kind/name[.namespace] to tell of; may be repeated',
    },
  ],
  make(input) {
    const { values } = input;
    const providerRef = nameReference(required(values.text('provider-ref'), 'provider ref'));
    const eventSources = values.list('event-source').map((text) => {
      const source = kindNameNamespace(text);
      if (source.kind !== '') return source;
      throw refused(`invalid event source '${text}', must be in format <kind>/<name>`);
    });
    if (eventSources.length === 0) throw refused('at least one event source is required');
    const spec = { eventSeverity: values.text('event-severity'), eventSources, providerRef };
    return { objects: [objectFrom(`${group}/v1beta3`, 'Alert', input, spec)] };
  },
};

const provider: FluxCreate = {
  path: ['alert-provider'],
  summary: 'Create or update a Provider',
  noun: 'Provider',
  hasStatus: false,
  example: 'chat --type=slack --channel=general --secret-ref=chat-token',
  flags: [
    { name: 'type', summary: 'the type of the Provider' },
    { name: 'channel', summary: 'the channel of a chat' },
    { name: 'username', summary: 'the name to send under' },
    { name: 'address', summary: 'where to send' },
    { name: 'secret-ref', summary: 'a Secret with the token' },
  ],
  make(input) {
    const { values } = input;
    const spec = {
      address: values.text('address'),
      channel: values.text('channel'),
      secretRef: nameReference(values.text('secret-ref')),
      type: required(values.text('type'), 'Provider type'),
      username: values.text('username'),
    };
    return { objects: [objectFrom(`${group}/v1beta3`, 'Provider', input, spec)] };
  },
};

const receiver: FluxCreate = {
  path: ['receiver'],
  summary: 'Create or update a Receiver',
  noun: 'Receiver',
  hasStatus: true,
  example: 'hook --type=github --event=push --secret-ref=hook --resource=GitRepository/shop',
  flags: [
    { name: 'type', summary: 'who calls', choices: [...receiverTypes.keys()] },
    { name: 'secret-ref', summary: 'a Secret with the token' },
    { name: 'event', kind: 'list', summary: 'events to listen to; may be repeated' },
    { name: 'resource', kind: 'list', summary: 'kind/name to reconcile; may be repeated' },
  ],
  make(input) {
    const { values } = input;
    const type = required(values.text('type'), 'Receiver type');
    const secretRef = nameReference(required(values.text('secret-ref'), 'secret ref'));
    const resources = values.list('resource').map((text) => {
      const [kind = '', name = '', ...more] = text.split('/');
      if (kind !== '' && name !== '' && more.length === 0) return { kind, name };
      throw refused(`invalid event source '${text}', must be in format <kind>/<name>`);
    });
    if (resources.length === 0) throw refused('atleast one resource is required');
    const events = values.list('event');
    const spec = { events: events.length === 0 ? undefined : events, resources, secretRef, type };
    return { objects: [objectFrom(`${group}/v1`, 'Receiver', input, spec)] };
  },
};

/** `create alert`, `alert-provider` and `receiver` */
export const createNotifications: readonly FluxCreate[] = [alert, provider, receiver];
