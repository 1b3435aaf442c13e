import type { ReconcileContext } from './reconcile-result.ts';

/**
 * One reconciliation under way. Its signal is made when it is first asked for: most reconciliations
 * find nothing to do, and a signal costs more than they do.
 */
export class ReconcileCall {
  readonly context: ReconcileContext;
  readonly #stop: AbortSignal;
  #controller: AbortController | undefined;
  #abortReason: { readonly reason: unknown } | undefined;
  readonly #onStop = () => this.abort(this.#stop.reason);

  constructor(stop: AbortSignal, failures: number) {
    this.#stop = stop;
    const signal = () => this.#signal();
    // A property of its own, so that a copy of the context has the signal too.
    this.context = {
      failures,
      get signal() {
        return signal();
      },
    };
  }

  abort(reason: unknown): void {
    this.#abortReason ??= { reason };
    this.#controller?.abort(reason);
  }

  /** The reconciliation is over: nothing stays behind on the controller's own signal. */
  end(): void {
    if (this.#controller !== undefined) this.#stop.removeEventListener('abort', this.#onStop);
  }

  #signal(): AbortSignal {
    if (this.#controller !== undefined) return this.#controller.signal;
    this.#controller = new AbortController();
    if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason.reason);
    else if (this.#stop.aborted) this.#onStop();
    else this.#stop.addEventListener('abort', this.#onStop, { once: true });
    return this.#controller.signal;
  }
}
