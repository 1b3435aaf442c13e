import { isNoMatch, isNotFound, type KubeClient } from '@waygate/kube';
import {
  type Clock,
  done,
  type EventRecorder,
  informerSource,
  type Operator,
} from '@waygate/runtime';
import { type Kind, type KubeObject, kinds, type ObjectReference } from '@waygate/schema';
import type { NotificationEvent } from '../api/notification-event.ts';
import { alertKind, providerKind, receiverKind } from '../api/notification-objects.ts';
import type { HookAddress } from '../http/hook-server.ts';
import { configSources } from '../kustomization/config-sources.ts';
import { addOwnController, type OwnControllerOptions } from '../own-controller.ts';
import { OwnObjects } from '../own-objects.ts';
import { BearerTokens } from '../receiver/bearer-tokens.ts';
import { ReceiverReconciler } from '../receiver/receiver-reconciler.ts';
import { ReceiverServer } from '../receiver/receiver-server.ts';
import { ReceiverTargets } from '../receiver/receiver-targets.ts';
import { SourceSecrets } from '../source/source-secrets.ts';
import { wantsReconcile } from '../wake-predicates.ts';
import { NotificationDispatcher } from './dispatcher.ts';
import { EventServer } from './event-server.ts';
import { NotificationMetrics } from './notification-metrics.ts';
import { ProviderSender } from './provider-sender.ts';

/** How notifications are taken and sent. */
export interface NotificationSettings {
  /** Where events of other controllers are taken. Nowhere when absent. */
  readonly eventsListen?: HookAddress | undefined;
  /** Where receivers are served. Nowhere when absent. */
  readonly receiversListen?: HookAddress | undefined;
  /** How long the same event is not told again. 5 min. */
  readonly rateLimitIntervalMs?: number | undefined;
  readonly noCrossNamespaceRefs?: boolean | undefined;
  /** Who signs the tokens of receivers of type gcr. Google. */
  readonly googleIssuer?: string | undefined;
}

interface NotificationControllersOptions extends NotificationSettings, OwnControllerOptions {
  /** For what every replica does: webhooks are taken by whichever they come to. */
  readonly client: KubeClient;
  /** Writes only while this replica leads. */
  readonly leader: KubeClient;
  /** Writes to the API only: what is said about Alerts is not told through Alerts. */
  readonly recorder: EventRecorder;
  readonly watchedConfigSelector?: string | false | undefined;
  readonly namespace?: string | undefined;
  /** Whether no other notification-controller acts. */
  readonly isFree: () => boolean;
  readonly jitter?: number | undefined;
  readonly clock: Clock;
  readonly random: () => number;
}

/** What the rest of the program has of them. */
export interface Notifications {
  /** Takes an event of a controller of this process; undefined where the cluster has no Alerts. */
  readonly tell?: ((event: NotificationEvent) => void) | undefined;
  readonly eventServer?: EventServer | undefined;
  readonly receiverServer?: ReceiverServer | undefined;
}

/** Adds what Alerts, Providers and Receivers need, as far as the cluster knows these kinds. */
export async function addNotificationControllers(
  operator: Operator,
  options: NotificationControllersOptions,
  signal: AbortSignal,
): Promise<Notifications> {
  const { client } = options;
  const knows = async (kind: Kind<KubeObject>): Promise<boolean> => {
    try {
      await client.mapper.resourceOf(kind, { signal });
      return true;
    } catch (error) {
      if (isNoMatch(error)) return false;
      throw error;
    }
  };
  const metrics = new NotificationMetrics(operator.metrics);
  const secrets = new SourceSecrets(client);
  const hasAlerts = (await knows(alertKind)) && (await knows(providerKind));
  const dispatcher = hasAlerts ? addDispatcher(operator, options, secrets, metrics) : undefined;
  let eventServer: EventServer | undefined;
  if (dispatcher !== undefined && options.eventsListen !== undefined) {
    eventServer = new EventServer(dispatcher, options.eventsListen, options.isFree);
    operator.manager.add(eventServer);
  }
  const receiverServer = (await knows(receiverKind))
    ? addReceivers(operator, options, secrets, metrics)
    : undefined;
  return {
    tell:
      dispatcher &&
      ((event) => {
        if (options.isFree()) dispatcher.accept(event);
      }),
    eventServer,
    receiverServer,
  };
}

function addDispatcher(
  operator: Operator,
  options: NotificationControllersOptions,
  secrets: SourceSecrets,
  metrics: NotificationMetrics,
): NotificationDispatcher {
  const { client, clock } = options;
  const alerts = operator.informerFor(alertKind);
  const providers = operator.informerFor(providerKind);
  const dispatcher = new NotificationDispatcher({
    alerts,
    providers,
    sender: new ProviderSender({ providers, secrets, clock }),
    labelsOf: (object) => labelsOf(client, object),
    recorder: options.recorder,
    metrics,
    clock,
    noCrossNamespaceRefs: options.noCrossNamespaceRefs,
    limitIntervalMs: options.rateLimitIntervalMs,
    onError: (error) => options.onError?.(error),
  });
  metrics.waiting = () => dispatcher.waiting;
  // With the services: what controllers say when they stop is still sent.
  operator.manager.add(dispatcher, 'services');
  for (const kind of [alertKind, providerKind]) addRelease(operator, options, kind);
  return dispatcher;
}

/** Flux leaves a finalizer on these objects: without this, nobody could delete them any more. */
function addRelease(
  operator: Operator,
  { leader: client, clock, isOurs, wakes }: NotificationControllersOptions,
  kind: Kind<KubeObject>,
): void {
  const informer = operator.informerFor(kind);
  const fieldManager = 'notification-controller';
  const objects = new OwnObjects<KubeObject>({ client, kind, informer, fieldManager, clock });
  const controller = operator.addController({
    name: kind.kind.toLowerCase(),
    sources: [
      informerSource(informer, {
        predicates: [({ object }) => object.metadata.deletionTimestamp !== undefined],
      }),
    ],
    reconcile: async (key, { signal }) => {
      const object = objects.get(key);
      if (object?.metadata.deletionTimestamp !== undefined && isOurs(object))
        await objects.removeFinalizer(object, signal);
      return done;
    },
  });
  wakes?.(controller, objects);
}

function addReceivers(
  operator: Operator,
  options: NotificationControllersOptions,
  secrets: SourceSecrets,
  metrics: NotificationMetrics,
): ReceiverServer | undefined {
  const { client, leader, clock, onError } = options;
  const informer = operator.informerFor(receiverKind);
  informer.addIndexers({
    config: ({ metadata, spec }) =>
      spec.secretRef === undefined ? [] : [`Secret/${metadata.namespace}/${spec.secretRef.name}`],
  });
  const fieldManager = 'notification-controller';
  const objects = new OwnObjects({
    client: leader,
    kind: receiverKind,
    informer,
    fieldManager,
    clock,
  });
  const reconciler = new ReceiverReconciler({
    objects,
    secrets,
    events: operator.events,
    clock,
    random: options.random,
    jitter: options.jitter ?? 0.05,
  });
  const watched = configSources(client, informer, {
    clock,
    onError,
    namespace: options.namespace,
    selector: options.watchedConfigSelector,
    kinds: [kinds.Secret] as readonly Kind<KubeObject>[],
  });
  for (const runnable of watched.runnables)
    operator.manager.add({ ...runnable, name: `receivers-${runnable.name}` }, 'caches');
  addOwnController(operator, options, {
    kind: receiverKind,
    objects,
    concurrent: 1,
    reconciler,
    sources: [informerSource(informer, { predicates: [wantsReconcile] }), ...watched.sources],
  });
  if (options.receiversListen === undefined) return undefined;
  const server = new ReceiverServer({
    receivers: informer,
    secrets,
    tokens: new BearerTokens({ clock, googleIssuer: options.googleIssuer }),
    targets: new ReceiverTargets({
      client,
      noCrossNamespaceRefs: options.noCrossNamespaceRefs,
      now: () => clock.now(),
    }),
    address: options.receiversListen,
    isFree: options.isFree,
    onAnswer: (type, code) => metrics.countHook(type, code),
    onError: (error) => onError?.(error),
  });
  operator.manager.add(server);
  return server;
}

async function labelsOf(
  client: KubeClient,
  { apiVersion = '', kind = '', name = '', namespace }: ObjectReference,
): Promise<Readonly<Record<string, string>> | undefined> {
  try {
    const resource = await client.resourceOf({ apiVersion, kind });
    const { metadata } = await resource.get(name, { namespace });
    return metadata.labels ?? {};
  } catch (error) {
    if (isNotFound(error) || isNoMatch(error)) return undefined;
    throw error;
  }
}
