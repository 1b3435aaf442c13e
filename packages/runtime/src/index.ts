export { type Clock, systemClock, type Timer, type TimerOptions } from './clock.ts';
export {
  type CorrelatedEvent,
  EventCorrelator,
  type EventCorrelatorOptions,
  type EventPatch,
} from './event-correlator.ts';
export type {
  CoreEvent,
  EventSeries,
  EventSource,
  EventsV1Event,
  EventType,
  ObjectReference,
} from './event-object.ts';
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
export { FakeClock } from './fake-clock.ts';
export { LeaderElector } from './leader-election.ts';
export type {
  LeaderCallbacks,
  LeaderElectionMetrics,
  LeaderElectorOptions,
} from './leader-election-options.ts';
export {
  type LeaderElectionRecord,
  type Lease,
  type LeaseSpec,
  leaseSpecToRecord,
  recordToLeaseSpec,
} from './leader-election-record.ts';
export { type LeaderSimulationResult, simulateLeaders } from './leader-election-simulation.ts';
export {
  type LeaseClient,
  LeaseLock,
  type LeaseLockOptions,
  type LockReading,
  type ResourceLock,
} from './lease-lock.ts';
export { RuntimeError, type RuntimeErrorCode } from './runtime-error.ts';
