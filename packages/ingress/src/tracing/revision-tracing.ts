import { isNotFound, type KubeClient } from '@waygate/kube';
import { type Clock, EventQueue, spanIdOf, type Tracer } from '@waygate/runtime';
import type { PassReport } from '../sync/pass-report.ts';
import { appliedRevision, type OwnerName, ownerOf } from './applied-revision.ts';

interface RevisionTracingOptions {
  readonly client: KubeClient;
  readonly tracer: Tracer;
  readonly clock: Clock;
  /** Told once when it cannot be found out which revisions objects are of. */
  readonly onError: (error: unknown) => void;
}

/** What one pass did for the objects of one Kustomization or HelmRelease. Times are of the wall clock. */
interface TracedPass {
  readonly owner: OwnerName;
  readonly objects: number;
  readonly startMs: number;
  readonly translatedMs: number;
  readonly endMs: number;
  readonly outcome: PassReport['outcome'];
}

/** Owners whose passes wait to be told of, at most: a whole cluster at once is no revision. */
const maxWaiting = 256;

/**
 * Puts what became of objects in the gateways into the traces of the revisions that they are from.
 * Which those are is asked from the cluster behind the pass, which never waits for it.
 */
export class RevisionTracing {
  readonly #options: RevisionTracingOptions;
  readonly #queue: EventQueue<TracedPass>;
  /** Kustomizations and HelmReleases of which objects changed that no gateway has taken yet, with how many. */
  readonly #open = new Map<string, { readonly owner: OwnerName; objects: number }>();
  #hasFailed = false;

  constructor(options: RevisionTracingOptions) {
    this.#options = options;
    this.#queue = new EventQueue({
      clock: options.clock,
      length: maxWaiting,
      flushMs: 1_000,
      handle: (pass, { cut }) => this.#tell(pass, cut),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#queue.run(signal);
  }

  /** Notes how a pass ended. */
  pass({ changed, removed, outcome, translationMs, syncMs }: PassReport): void {
    for (const object of [...changed, ...removed]) {
      const owner = ownerOf(object);
      if (owner === undefined) continue;
      const key = `${owner.kind} ${owner.namespace}/${owner.name}`;
      const open = this.#open.get(key);
      if (open !== undefined) open.objects += 1;
      else if (this.#open.size < maxWaiting) this.#open.set(key, { owner, objects: 1 });
    }
    const endMs = this.#options.clock.now();
    const translatedMs = endMs - syncMs;
    const times = { startMs: translatedMs - translationMs, translatedMs, endMs };
    for (const open of this.#open.values()) this.#queue.add({ ...open, ...times, outcome });
    if (outcome.kind === 'applied' || outcome.kind === 'unchanged') this.#open.clear();
  }

  async #tell(pass: TracedPass, signal: AbortSignal): Promise<void> {
    const { client, tracer } = this.#options;
    const { owner, outcome } = pass;
    let applied: Awaited<ReturnType<typeof appliedRevision>>;
    try {
      applied = await appliedRevision(client, owner, pass.endMs, signal);
    } catch (error) {
      this.#fail(error, signal);
      return;
    }
    if (applied === undefined) return;
    const { revision, ownerUid } = applied;
    const attributes = {
      'waygate.kind': owner.kind,
      'waygate.namespace': owner.namespace,
      'waygate.name': owner.name,
      'waygate.revision': revision.revision,
      'waygate.objects': pass.objects,
    };
    const parentSpanId = tracer.step(revision, {
      name: 'translate',
      startMs: pass.startMs,
      endMs: pass.translatedMs,
      parentSpanId: spanIdOf(revision, 'apply', ownerUid),
      attributes,
    });
    tracer.step(revision, {
      name: 'sync',
      startMs: pass.translatedMs,
      endMs: pass.endMs,
      parentSpanId,
      error: 'error' in outcome ? outcome.error.message : undefined,
      attributes: {
        ...attributes,
        'waygate.outcome': outcome.kind,
        'waygate.writes': outcome.kind === 'applied' ? outcome.writes : 0,
      },
    });
  }

  #fail(error: unknown, signal: AbortSignal): void {
    if (isNotFound(error) || signal.aborted || this.#hasFailed) return;
    this.#hasFailed = true;
    const { message } = error instanceof Error ? error : new Error(String(error));
    const what = 'traces end at the Kubernetes API, as revisions of objects cannot be read';
    this.#options.onError(new Error(`${what}: ${message}`, { cause: error }));
  }
}
