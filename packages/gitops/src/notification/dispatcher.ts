import type { Clock, EventRecorder, SharedInformer } from '@waygate/runtime';
import type { ObjectReference } from '@waygate/schema';
import type { NotificationEvent } from '../api/notification-event.ts';
import { type Alert, alertKind, type Provider } from '../api/notification-objects.ts';
import type { ProviderMessage } from '../provider/provider-message.ts';
import { providerTypes } from '../provider/provider-types.ts';
import { matchAlert, namespacesOf } from './alert-match.ts';
import { EventLimit } from './event-limit.ts';
import { type EventFacts, factsOf, isFor, limitKey, toldMetadata } from './event-metadata.ts';
import type { NotificationMetrics } from './notification-metrics.ts';
import { Outbox } from './outbox.ts';
import type { ProviderSender } from './provider-sender.ts';

interface DispatcherOptions {
  readonly alerts: SharedInformer<Alert>;
  readonly providers: SharedInformer<Provider>;
  readonly sender: ProviderSender;
  /** The labels of an object, asked of the API; undefined when it is gone. */
  readonly labelsOf: (
    object: ObjectReference,
  ) => Promise<Readonly<Record<string, string>> | undefined>;
  /** Tells the authors of Alerts what is wrong. Not told to Alerts in turn. */
  readonly recorder: EventRecorder;
  readonly metrics: NotificationMetrics;
  readonly clock: Clock;
  readonly noCrossNamespaceRefs?: boolean | undefined;
  /** How long the same event is not told again. 5 min. */
  readonly limitIntervalMs?: number | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** All messages that wait, of whatever provider. */
const maxWaiting = 10_000;
/** Events that wait to be compared with the Alerts. */
const maxEvents = 2_000;
/** How long a stop waits for what is still to be sent. */
const flushMs = 2_000;
const sourceIndex = 'event-namespace';

/** Brings events to those who want them told: through the Alerts, to the providers. */
export class NotificationDispatcher {
  readonly name = 'notifications';
  readonly #options: DispatcherOptions;
  readonly #limit: EventLimit;
  /** By `namespace/name` of their providers; only those that have something to send. */
  readonly #outboxes = new Map<string, Outbox<ProviderMessage>>();
  readonly #tasks = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  readonly #cut = new AbortController();
  #comparing = 0;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#limit = new EventLimit(options.limitIntervalMs ?? 300_000, options.clock);
    options.alerts.addIndexers({ [sourceIndex]: namespacesOf });
    options.providers.addEventHandler({
      onUpdate: (_old, { metadata }) =>
        this.#outboxes.get(`${metadata.namespace}/${metadata.name}`)?.wake(),
    });
  }

  /** Messages that have not been sent yet. */
  get waiting(): number {
    let waiting = 0;
    for (const outbox of this.#outboxes.values()) waiting += outbox.length;
    return waiting;
  }

  /** Takes an event; what is to be sent because of it is sent later. */
  accept(event: NotificationEvent): 'taken' | 'repeated' | 'full' {
    const facts = factsOf(event);
    if (this.#comparing >= maxEvents || this.#stop.signal.aborted) {
      this.#options.metrics.count('', 'dropped');
      return 'full';
    }
    if (!this.#limit.admit(limitKey(event, facts))) return 'repeated';
    this.#comparing++;
    this.#track(
      this.#dispatch(event, facts).finally(() => {
        this.#comparing--;
      }),
    );
    return 'taken';
  }

  /** Sends until the signal aborts; what waits then has a moment. */
  async run(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    this.#stop.abort();
    const timer = this.#options.clock.after(flushMs, () => this.#cut.abort());
    while (this.#tasks.size > 0) await Promise.all(this.#tasks);
    timer.cancel();
  }

  async #dispatch(event: NotificationEvent, facts: EventFacts): Promise<void> {
    const { alerts, labelsOf } = this.#options;
    const namespace = event.involvedObject.namespace ?? '';
    let labels: ReturnType<DispatcherOptions['labelsOf']> | undefined;
    const labelsOnce = () => {
      labels ??= labelsOf(event.involvedObject);
      return labels;
    };
    for (const alert of alerts.indexer.byIndex(sourceIndex, namespace)) {
      try {
        const { isWanted, problems } = await matchAlert(alert, event, labelsOnce);
        for (const problem of problems) this.#warn(alert, 'InvalidConfig', problem);
        if (isWanted) this.#hand(event, facts, alert);
      } catch (error) {
        this.#options.onError?.(error);
      }
    }
  }

  /** Gives one event to the provider of one Alert. */
  #hand(event: NotificationEvent, facts: EventFacts, alert: Alert): void {
    const { providers, noCrossNamespaceRefs = false } = this.#options;
    const namespace = alert.metadata.namespace ?? '';
    const from = event.involvedObject.namespace;
    if (noCrossNamespaceRefs && from !== namespace) {
      const why = `events of the namespace ${from} are not for Alerts of ${namespace}`;
      this.#warn(alert, 'AccessDenied', `${why}: cross-namespace references are switched off`);
      return;
    }
    const key = `${namespace}/${alert.spec.providerRef.name}`;
    const provider = providers.indexer.getByKey(key);
    if (provider === undefined) {
      this.#warn(alert, 'NotificationDispatchFailed', `the Provider ${key} does not exist`);
      return;
    }
    if (provider.spec.suspend === true) return;
    const type = providerTypes.get(provider.spec.type);
    if (type !== undefined && !isFor(type.tells, event, facts)) return;
    const { metadata, doubled } = toldMetadata(facts, alert);
    if (doubled.length > 0) {
      const why = `said more than once, and the last word of the event counts: ${doubled.join(', ')}`;
      this.#warn(alert, 'MetadataAppendFailed', why);
    }
    const { metadata: _raw, ...rest } = event;
    const told = Object.keys(metadata).length === 0 ? rest : { ...rest, metadata };
    this.#enqueue(key, { event: told, alert });
  }

  #enqueue(key: string, message: ProviderMessage): void {
    let outbox = this.#outboxes.get(key);
    const isNew = outbox === undefined;
    outbox ??= this.#makeOutbox(key);
    outbox.add(message);
    if (this.waiting > maxWaiting) this.#longest()?.dropOldest('too many messages wait');
    if (!isNew) return;
    this.#track(
      outbox.run(this.#stop.signal, this.#cut.signal).finally(() => {
        this.#outboxes.delete(key);
      }),
    );
  }

  #makeOutbox(key: string): Outbox<ProviderMessage> {
    const { clock, sender, providers, metrics } = this.#options;
    const typeOf = () => providers.indexer.getByKey(key)?.spec.type ?? '';
    const outbox = new Outbox<ProviderMessage>({
      clock,
      send: async (message, signal) => {
        const outcome = await sender.send(key, message, signal);
        if (outcome.kind === 'sent') metrics.count(typeOf(), 'sent');
        return outcome;
      },
      onLate: ({ alert }, why) =>
        this.#warn(alert, 'NotificationDispatchFailed', `${why}; it is tried again for an hour`),
      onLost: ({ alert, event }, why) => {
        metrics.count(typeOf(), 'failed');
        const { kind, namespace, name } = event.involvedObject;
        const what = `${event.reason} of ${kind} ${namespace}/${name} was not sent`;
        this.#warn(alert, 'NotificationDispatchFailed', `${what}: ${why}`);
      },
    });
    this.#outboxes.set(key, outbox);
    return outbox;
  }

  /** Who has most gives way first: a neighbour with few is not touched. */
  #longest(): Outbox<ProviderMessage> | undefined {
    let longest: Outbox<ProviderMessage> | undefined;
    for (const outbox of this.#outboxes.values())
      if (outbox.length > (longest?.length ?? 0)) longest = outbox;
    return longest;
  }

  #warn(alert: Alert, reason: string, message: string): void {
    const { name, namespace } = alert.metadata;
    this.#options.onError?.(new Error(`Alert ${namespace}/${name}: ${message}`));
    const { group, version, kind } = alertKind;
    const regarding = { ...alert, apiVersion: `${group}/${version}`, kind };
    this.#options.recorder.event(regarding, 'Warning', reason, message.slice(0, 1024));
  }

  #track(task: Promise<void>): void {
    const tracked = task
      .catch((error: unknown) => this.#options.onError?.(error))
      .finally(() => {
        this.#tasks.delete(tracked);
      });
    this.#tasks.add(tracked);
  }
}
