export { Backoff, type BackoffOptions, reflectorBackoff } from './backoff.ts';
export { bytesListerWatcherOf } from './bytes-lister-watcher.ts';
export { type ListerWatcherScope, listerWatcherOf } from './client-lister-watcher.ts';
export { type Clock, systemClock, type Timer, type TimerOptions } from './clock.ts';
export { Controller, type ControllerOptions } from './controller.ts';
export type {
  ControllerMetrics,
  ControllerMetricsProvider,
  ReconcileLabel,
} from './controller-metrics.ts';
export {
  allOf,
  annotationChanged,
  anyOf,
  generationChanged,
  labelChanged,
  not,
  type Predicate,
  type ResourceEvent,
  resourceVersionChanged,
} from './controller-predicate.ts';
export { controllerReference } from './controller-reference.ts';
export {
  type EnqueueOptions,
  type HandlerTarget,
  type InformerSourceOptions,
  informerSource,
  type OwnerMapping,
  ownerKeys,
  type Source,
} from './controller-source.ts';
export {
  type ClientInformerOptions,
  createInformer,
  createInformerFactory,
} from './create-informer.ts';
export { DelayingQueue } from './delaying-queue.ts';
export {
  type Deleted,
  DeletedFinalStateUnknown,
  lastKnownState,
} from './deleted-final-state-unknown.ts';
export type { Delta, ObjectDelta, StoreDelta, Transform } from './delta.ts';
export { DeltaFifo, type DeltaFifoOptions, type PopProcess } from './delta-fifo.ts';
export {
  type CorrelatedEvent,
  EventCorrelator,
  type EventCorrelatorOptions,
  type EventPatch,
} from './event-correlator.ts';
export { type EventType, referenceTo } from './event-object.ts';
export { EventQueue, type EventQueueOptions, type EventQueueSignals } from './event-queue.ts';
export {
  CoreEventRecorder,
  type CoreEventRecorderOptions,
  type EventDetails,
  type EventRecorder,
  makeCoreEvent,
} from './event-recorder.ts';
export { SeriesEventRecorder, type SeriesEventRecorderOptions } from './event-series-recorder.ts';
export {
  type EventSink,
  type EventWriteOptions,
  type EventWriteOutcome,
  writeEvent,
} from './event-sink.ts';
export { coreEventSink, eventsV1Sink } from './event-sink-client.ts';
export type { FailureTable } from './failure-counter.ts';
export { FakeClock } from './fake-clock.ts';
export { checkHealth, type HealthCheck, type HealthReport, ping } from './health-check.ts';
export { HealthServer, type HealthServerOptions, type MetricsSource } from './health-server.ts';
export {
  HttpListener,
  type HttpListenerOptions,
  type ListenerKeyPair,
} from './http-listener.ts';
export {
  Indexer,
  type IndexerOptions,
  metadataResourceVersion,
  namespaceIndex,
  namespaceIndexer,
} from './indexer.ts';
export { InformerFactory, type InformerFactoryOptions } from './informer-factory.ts';
export {
  type InformerMetrics,
  informerMetrics,
  type ObservedInformer,
} from './informer-metrics.ts';
export { InitialEventsEndTicker } from './initial-events-ticker.ts';
export type { KnownObjects } from './known-objects.ts';
export { LazyObject, lazyObjectAccess } from './lazy-object.ts';
export { LeaderElector } from './leader-election.ts';
export type {
  LeaderCallbacks,
  LeaderElectionMetrics,
  LeaderElectorOptions,
} from './leader-election-options.ts';
export {
  type LeaderElectionRecord,
  type LeaseSpec,
  leaseSpecToRecord,
  recordToLeaseSpec,
} from './leader-election-record.ts';
export {
  type LeaseClient,
  LeaseLock,
  type LeaseLockOptions,
  type LockReading,
  type ResourceLock,
} from './lease-lock.ts';
export { leaseClient } from './lease-lock-client.ts';
export type { ListerWatcher, WatchedEvent, WatchedEvents } from './lister-watcher.ts';
export { Manager, type ManagerOptions, type ManagerStageName } from './manager.ts';
export { informerFactoryRunnable } from './manager-cache.ts';
export type { Runnable } from './manager-stage.ts';
export {
  type Metrics,
  prometheusMetrics,
  type RestClientMetrics,
} from './metrics.ts';
export { MutationCache, type MutationCacheOptions } from './mutation-cache.ts';
export { kubeObjectAccess, type ObjectAccess } from './object-access.ts';
export {
  deletionHandlingMetaNamespaceKey,
  type KeyFunction,
  metaNamespaceKey,
  splitMetaNamespaceKey,
} from './object-key.ts';
export { Operator, type OperatorOptions } from './operator.ts';
export {
  defaultPageSize,
  type PagedList,
  type PageFunction,
  Pager,
  type PagerFailure,
  type PagerOptions,
} from './pager.ts';
export { type ParallelizeOptions, parallelizeUntil } from './parallelize-until.ts';
export { lowPriority, type PriorityAddOptions, PriorityQueue } from './priority-queue.ts';
export {
  processDeltas,
  processDeltasInBatch,
  processStoreDelta,
  type StoreDeltaContext,
  type StoreObserver,
} from './process-deltas.ts';
export {
  type Notification,
  ProcessorListener,
  type ProcessorListenerOptions,
} from './processor-listener.ts';
export { prometheusQueueMetrics } from './prometheus-queue-metrics.ts';
export type {
  CounterMetric,
  GaugeMetric,
  HistogramMetric,
  QueueMetrics,
  QueueMetricsProvider,
  SettableGaugeMetric,
} from './queue-metrics.ts';
export {
  BucketRateLimiter,
  defaultControllerRateLimiter,
  defaultItemBasedRateLimiter,
  ItemExponentialFailureRateLimiter,
  ItemFastSlowRateLimiter,
  MaxOfRateLimiter,
  type RateLimiter,
  WithMaxWaitRateLimiter,
} from './rate-limiter.ts';
export { RateLimitingQueue, type RateLimitingQueueOptions } from './rate-limiting-queue.ts';
export { type BatchProcess, RealFifo, type RealFifoOptions } from './real-fifo.ts';
export {
  done,
  failed,
  type Reconcile,
  type ReconcileContext,
  type ReconcileResult,
  requeue,
  requeueAfter,
} from './reconcile-result.ts';
export { Reflector, type ReflectorOptions } from './reflector.ts';
export type { ReflectorStore } from './reflector-store.ts';
export {
  filteringResourceEventHandler,
  type ResourceEventHandler,
} from './resource-event-handler.ts';
export { RetryWithDeadline } from './retry-with-deadline.ts';
export { RuntimeError, type RuntimeErrorCode } from './runtime-error.ts';
export {
  type HandlerOptions,
  type HandlerRegistration,
  SharedInformer,
  type SharedInformerOptions,
} from './shared-informer.ts';
export { type LeaderSimulationResult, simulateLeaders } from './simulation/leader-simulation.ts';
export type {
  Indexers,
  IndexFunction,
  IndexReader,
  StoreReader,
  Transaction,
  TransactionFailure,
  TransactionType,
} from './store.ts';
export { SyncTracker } from './sync-tracker.ts';
export { TurnKeeper } from './turn-keeper.ts';
export { type Syncable, waitForCacheSync } from './wait-for-cache-sync.ts';
export { type QueueStorage, WorkQueue, type WorkQueueOptions } from './work-queue.ts';
