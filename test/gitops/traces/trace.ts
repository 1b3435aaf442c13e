import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One state of a Flux object, as a watch saw it. */
export interface ObservedState {
  readonly generation: number;
  readonly observedGeneration?: number;
  readonly conditions: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
    readonly message: string;
  }[];
  readonly lastAppliedRevision?: string;
  readonly lastAttemptedRevision?: string;
  readonly lastAppliedOriginRevision?: string;
  /** `<id>@<version>` each. */
  readonly inventory?: readonly string[];
  /** Of a source: what it offers, where the latest is, and what it was made with. */
  readonly artifact?: ObservedArtifact;
  readonly url?: string;
  readonly observedIgnore?: string;
  /** Revisions. */
  readonly includedArtifacts?: readonly string[];
}

export interface ObservedArtifact {
  readonly path: string;
  readonly revision: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface ObservedEvent {
  /** `Kind/name`. */
  readonly object: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** What happened in one scenario, whoever the controllers were. */
export interface Observation {
  /** By `Kind/name`, in the order of time. */
  readonly objects: Readonly<Record<string, readonly ObservedState[]>>;
  /** What alerts are made of, in the order of time. */
  readonly events: readonly ObservedEvent[];
  /** What the Kubernetes API was told and no one else. */
  readonly notices: readonly ObservedEvent[];
  /** What was written to objects other than Flux', in order: `verb resource name`. */
  readonly writes: readonly string[];
  /** Facts on the cluster that the scenario looked at. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** A recording of Flux' controllers at work. */
export interface Trace extends Observation {
  readonly name: string;
  readonly doc: string;
  readonly steps: readonly string[];
}

/** What the Kubernetes API was told and a webhook was not: housekeeping, and that nothing happened. */
export function quietOnes(
  all: readonly ObservedEvent[],
  events: readonly ObservedEvent[],
): ObservedEvent[] {
  const told = new Set(events.map(keyOf));
  return all.filter((event) => !told.has(keyOf(event)));
}

function keyOf({ object, type, reason, message }: ObservedEvent): string {
  return [object, type, reason, message].join('\n');
}

/** An event as Flux' controllers send it to a webhook. */
export interface SentEvent {
  readonly involvedObject: string;
  readonly severity: string;
  readonly reason: string;
  readonly message: string;
}

export function observedEvent({ involvedObject, severity, reason, message }: SentEvent) {
  const type: ObservedEvent['type'] = severity === 'error' ? 'Warning' : 'Normal';
  return { object: involvedObject, type, reason, message };
}

interface TraceFile {
  readonly name: string;
  readonly doc: string;
  readonly steps: readonly { readonly step: string }[];
  readonly objects: Trace['objects'];
  readonly webhookEvents: readonly SentEvent[];
  readonly k8sEvents: readonly ObservedEvent[];
  readonly apiRequests: readonly {
    readonly verb: string;
    readonly resource: string;
    readonly name: string;
    readonly code: number;
    readonly dryRun?: string;
  }[];
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** All recordings of a directory, by name; none when it is not there. */
export function readTraces(directory: string): Map<string, Trace> {
  let names: string[];
  try {
    names = readdirSync(directory).filter((name) => name.endsWith('.json'));
  } catch {
    return new Map();
  }
  return new Map(
    names.sort().map((name) => {
      const file = JSON.parse(readFileSync(join(directory, name), 'utf8')) as TraceFile;
      return [file.name, traceOf(file)];
    }),
  );
}

function traceOf(file: TraceFile): Trace {
  const events = file.webhookEvents.map(observedEvent);
  return {
    name: file.name,
    doc: file.doc,
    steps: file.steps.map(({ step }) => step),
    objects: file.objects,
    events,
    notices: quietOnes(file.k8sEvents, events),
    writes: file.apiRequests
      .filter(({ verb, dryRun, code }) => verb !== 'get' && dryRun === undefined && code < 300)
      .filter(({ resource }) => resource !== 'events' && !resource.includes('toolkit.fluxcd.io'))
      .map(({ verb, resource, name }) => `${verb} ${resource} ${name}`),
    extra: file.extra ?? {},
  };
}
