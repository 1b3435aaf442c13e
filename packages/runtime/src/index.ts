export { bytesListerWatcherOf, scannedListerWatcherOf } from './cache/bytes-lister-watcher.ts';
export { ChangeFeed, type ChangeFeedOptions } from './cache/change-feed.ts';
export { type ListerWatcherScope, listerWatcherOf } from './cache/client-lister-watcher.ts';
export {
  type ClientInformerOptions,
  createInformer,
  createInformerFactory,
} from './cache/create-informer.ts';
export {
  type Deleted,
  DeletedFinalStateUnknown,
  lastKnownState,
} from './cache/deleted-final-state-unknown.ts';
export type { Delta, ObjectDelta, StoreDelta, Transform } from './cache/delta.ts';
export { DeltaFifo, type DeltaFifoOptions, type PopProcess } from './cache/delta-fifo.ts';
export {
  Indexer,
  type IndexerOptions,
  metadataResourceVersion,
  namespaceIndex,
  namespaceIndexer,
} from './cache/indexer.ts';
export { InformerFactory, type InformerFactoryOptions } from './cache/informer-factory.ts';
export {
  type InformerMetrics,
  informerMetrics,
  type ObservedInformer,
} from './cache/informer-metrics.ts';
export { InitialEventsEndTicker } from './cache/initial-events-ticker.ts';
export type { KnownObjects } from './cache/known-objects.ts';
export { LazyObject, lazyObjectAccess } from './cache/lazy-object.ts';
export type { ListerWatcher, WatchedEvent, WatchedEvents } from './cache/lister-watcher.ts';
export { MutationCache, type MutationCacheOptions } from './cache/mutation-cache.ts';
export { kubeObjectAccess, type ObjectAccess } from './cache/object-access.ts';
export {
  deletionHandlingMetaNamespaceKey,
  type KeyFunction,
  metaNamespaceKey,
  splitMetaNamespaceKey,
} from './cache/object-key.ts';
export {
  defaultPageSize,
  type PagedList,
  type PageFunction,
  Pager,
  type PagerFailure,
  type PagerOptions,
} from './cache/pager.ts';
export {
  processDeltas,
  processDeltasInBatch,
  processStoreDelta,
  type StoreDeltaContext,
  type StoreObserver,
} from './cache/process-deltas.ts';
export {
  type Notification,
  ProcessorListener,
  type ProcessorListenerOptions,
} from './cache/processor-listener.ts';
export { type BatchProcess, RealFifo, type RealFifoOptions } from './cache/real-fifo.ts';
export { Reflector, type ReflectorOptions } from './cache/reflector.ts';
export type { ReflectorStore } from './cache/reflector-store.ts';
export {
  filteringResourceEventHandler,
  type ResourceEventHandler,
} from './cache/resource-event-handler.ts';
export { RetryWithDeadline } from './cache/retry-with-deadline.ts';
export {
  type HandlerOptions,
  type HandlerRegistration,
  SharedInformer,
  type SharedInformerOptions,
} from './cache/shared-informer.ts';
export type {
  Indexers,
  IndexFunction,
  IndexReader,
  StoreReader,
  Transaction,
  TransactionFailure,
  TransactionType,
} from './cache/store.ts';
export { SyncTracker } from './cache/sync-tracker.ts';
export { type Syncable, waitForCacheSync } from './cache/wait-for-cache-sync.ts';
export { Controller, type ControllerOptions } from './controller/controller.ts';
export type {
  ControllerMetrics,
  ControllerMetricsProvider,
  ReconcileLabel,
} from './controller/controller-metrics.ts';
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
} from './controller/controller-predicate.ts';
export { controllerReference } from './controller/controller-reference.ts';
export {
  type EnqueueOptions,
  type HandlerTarget,
  type InformerSourceOptions,
  informerSource,
  type OwnerMapping,
  ownerKeys,
  type Source,
} from './controller/controller-source.ts';
export { Manager, type ManagerOptions, type ManagerStageName } from './controller/manager.ts';
export { informerFactoryRunnable } from './controller/manager-cache.ts';
export type { Runnable } from './controller/manager-stage.ts';
export {
  type Metrics,
  prometheusMetrics,
  type RestClientMetrics,
} from './controller/metrics.ts';
export { Operator, type OperatorOptions } from './controller/operator.ts';
export {
  done,
  failed,
  type Reconcile,
  type ReconcileContext,
  type ReconcileResult,
  requeue,
  requeueAfter,
} from './controller/reconcile-result.ts';
export { LeaderElector } from './election/leader-election.ts';
export type {
  LeaderCallbacks,
  LeaderElectionMetrics,
  LeaderElectorOptions,
} from './election/leader-election-options.ts';
export {
  type LeaderElectionRecord,
  type LeaseSpec,
  leaseSpecToRecord,
  recordToLeaseSpec,
} from './election/leader-election-record.ts';
export {
  type LeaseClient,
  LeaseLock,
  type LeaseLockOptions,
  type LockReading,
  type ResourceLock,
} from './election/lease-lock.ts';
export { leaseClient } from './election/lease-lock-client.ts';
export {
  type Rival,
  type RivalHolder,
  RivalLeases,
  type RivalLeasesOptions,
  type RivalWriter,
  rivalText,
} from './election/rival-leases.ts';
export {
  type RivalWrite,
  RivalWriters,
  type RivalWritersOptions,
} from './election/rival-writers.ts';
export {
  type CorrelatedEvent,
  EventCorrelator,
  type EventCorrelatorOptions,
  type EventPatch,
} from './events/event-correlator.ts';
export { type EventType, referenceTo } from './events/event-object.ts';
export {
  EventQueue,
  type EventQueueOptions,
  type EventQueueSignals,
} from './events/event-queue.ts';
export {
  CoreEventRecorder,
  type CoreEventRecorderOptions,
  type EventDetails,
  type EventRecorder,
  makeCoreEvent,
} from './events/event-recorder.ts';
export {
  SeriesEventRecorder,
  type SeriesEventRecorderOptions,
} from './events/event-series-recorder.ts';
export {
  type EventSink,
  type EventWriteOptions,
  type EventWriteOutcome,
  writeEvent,
} from './events/event-sink.ts';
export { coreEventSink, eventsV1Sink } from './events/event-sink-client.ts';
export type { ControllerFlag, FlagValues } from './flags/controller-flag.ts';
export { type ElectionTiming, electionTiming } from './flags/election-timing.ts';
export { type FeatureGates, gateNames, type ReadGates, readGates } from './flags/feature-gates.ts';
export { type FlagAddress, FlagReader, type FlagReaderOptions } from './flags/flag-reader.ts';
export { AccessReview, type AccessVerdict } from './health/access-review.ts';
export { checkHealth, type HealthCheck, type HealthReport, ping } from './health/health-check.ts';
export {
  HealthServer,
  type HealthServerOptions,
  type MetricsSource,
} from './health/health-server.ts';
export {
  HttpListener,
  type HttpListenerOptions,
  type ListenerKeyPair,
} from './health/http-listener.ts';
export { DelayingQueue } from './queue/delaying-queue.ts';
export type { FailureTable } from './queue/failure-counter.ts';
export { type ParallelizeOptions, parallelizeUntil } from './queue/parallelize-until.ts';
export { lowPriority, type PriorityAddOptions, PriorityQueue } from './queue/priority-queue.ts';
export { prometheusQueueMetrics } from './queue/prometheus-queue-metrics.ts';
export type {
  CounterMetric,
  GaugeMetric,
  HistogramMetric,
  QueueMetrics,
  QueueMetricsProvider,
  SettableGaugeMetric,
} from './queue/queue-metrics.ts';
export {
  BucketRateLimiter,
  defaultControllerRateLimiter,
  defaultItemBasedRateLimiter,
  ItemExponentialFailureRateLimiter,
  ItemFastSlowRateLimiter,
  MaxOfRateLimiter,
  type RateLimiter,
  WithMaxWaitRateLimiter,
} from './queue/rate-limiter.ts';
export { RateLimitingQueue, type RateLimitingQueueOptions } from './queue/rate-limiting-queue.ts';
export { type QueueStorage, WorkQueue, type WorkQueueOptions } from './queue/work-queue.ts';
export { RuntimeError, type RuntimeErrorCode } from './runtime-error.ts';
export { type LeaderSimulationResult, simulateLeaders } from './simulation/leader-simulation.ts';
export { aborted } from './time/aborted.ts';
export { Backoff, type BackoffOptions, reflectorBackoff } from './time/backoff.ts';
export { type Clock, systemClock, type Timer, type TimerOptions } from './time/clock.ts';
export { FakeClock } from './time/fake-clock.ts';
export { TurnKeeper } from './time/turn-keeper.ts';
export { OtlpExporter, type OtlpExporterOptions } from './tracing/otlp-exporter.ts';
export { newSpanId, spanIdOf, type TracedRevision, traceIdOf } from './tracing/trace-ids.ts';
export {
  type Span,
  type SpanAttributes,
  type SpanSink,
  Tracer,
  type TraceStep,
} from './tracing/tracer.ts';
export { tracingFlags } from './tracing/tracing-flags.ts';
export {
  type TracingFlags,
  type TracingSettings,
  tracingSettings,
} from './tracing/tracing-settings.ts';
