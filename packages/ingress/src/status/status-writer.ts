import { isFenced, isNotFound, type KubeClient } from '@waygate/kube';
import type { Clock } from '@waygate/runtime';
import { type KubeObject, parseApiVersion } from '@waygate/schema';
import { type KindId, kindIdOf } from '../objects/kind-id.ts';
import { keyOf } from '../objects/reference.ts';
import { inVersion, watchedKindOf } from '../objects/watched-kinds.ts';

/** A status to be written: a merge patch on the object's `status`. */
export interface StatusPatch {
  readonly object: KubeObject;
  readonly status: Readonly<Record<string, unknown>>;
}

interface StatusWriterOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly concurrency?: number;
  /**
   * Told of an object whose status somebody changed after we wrote it, as it is before we write the same
   * again. It costs a request, and is asked for only where somebody wants to know.
   */
  readonly onUndone?: ((object: KubeObject) => void) | undefined;
  readonly onError: (error: unknown) => void;
}

const retryMs = 1_000;
/** Objects whose last status is remembered: a rival shows itself on any of them. */
const maxSent = 1_000;

/**
 * Writes statuses, several at a time. Only the latest wish for an object counts, so a writer that is
 * slower than the changes falls behind in time, never in truth.
 */
export class StatusWriter {
  readonly #options: StatusWriterOptions;
  readonly #wanted = new Map<string, StatusPatch>();
  readonly #waiting = new Set<() => void>();
  readonly #idlers = new Set<() => void>();
  /** What was written last, where somebody wants to know of what is undone; of the latest objects only. */
  readonly #sent = new Map<string, string>();
  #inFlight = 0;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  write(patches: Iterable<StatusPatch>): void {
    for (const patch of patches) {
      const kind = kindIdOf(patch.object);
      if (kind !== undefined) this.#wanted.set(`${kind} ${keyOf(patch.object)}`, patch);
    }
    for (const wake of this.#waiting) wake();
  }

  get pendingCount(): number {
    return this.#wanted.size;
  }

  /** Resolves when nothing waits to be written, or when the signal aborts. */
  async idle(signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#wanted.size + this.#inFlight === 0) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        this.#idlers.delete(end);
        signal.removeEventListener('abort', end);
        resolve();
      };
      this.#idlers.add(end);
      signal.addEventListener('abort', end, { once: true });
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const workers = Array.from({ length: this.#options.concurrency ?? 8 }, () =>
      this.#work(signal),
    );
    await Promise.all(workers);
  }

  async #work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const [next] = this.#wanted;
      if (next === undefined) {
        await this.#wait(signal);
        continue;
      }
      const [key, patch] = next;
      this.#wanted.delete(key);
      this.#inFlight += 1;
      try {
        await this.#send(key, patch, signal);
      } catch (error) {
        // Who leads now writes the statuses, this one too.
        if (isNotFound(error)) this.#sent.delete(key);
        if (signal.aborted || isNotFound(error) || isFenced(error)) continue;
        this.#options.onError(error);
        // A newer wish may have come meanwhile; it wins.
        if (!this.#wanted.has(key)) this.#wanted.set(key, patch);
        await this.#options.clock.sleep(retryMs, signal);
      } finally {
        this.#inFlight -= 1;
        if (this.#wanted.size + this.#inFlight === 0) for (const end of this.#idlers) end();
      }
    }
  }

  async #wait(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        this.#waiting.delete(end);
        signal.removeEventListener('abort', end);
        resolve();
      };
      this.#waiting.add(end);
      signal.addEventListener('abort', end, { once: true });
    });
  }

  async #send(key: string, { object, status }: StatusPatch, signal: AbortSignal): Promise<void> {
    const { version } = parseApiVersion(object.apiVersion ?? '');
    const { kind } = inVersion(watchedKindOf(kindIdOf(object) as KindId), version);
    const { name = '', namespace } = object.metadata;
    const { client, onUndone } = this.#options;
    const resource = client.resource(kind);
    const where = namespace === undefined ? {} : { namespace };
    const text = onUndone === undefined ? '' : JSON.stringify(status);
    if (onUndone !== undefined && this.#sent.get(key) === text)
      onUndone(await resource.get(name, where, { signal }));
    await resource.status.patch(name, { status }, { type: 'merge', ...where }, { signal });
    if (onUndone === undefined) return;
    // In the order of their last writes, so that the oldest goes first.
    this.#sent.delete(key);
    this.#sent.set(key, text);
    const [oldest] = this.#sent.keys();
    if (this.#sent.size > maxSent && oldest !== undefined) this.#sent.delete(oldest);
  }
}
