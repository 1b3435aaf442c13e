import type { Artifact } from '../api/source-objects.ts';

/** A fetch of a Kustomization's artifact that is under way. */
interface ArtifactFetch extends Disposable {
  /** Aborts with the controller, or when the artifact was replaced. */
  readonly signal: AbortSignal;
  /** Whether the source has another artifact by now: this one is not worth waiting for. */
  readonly isReplaced: boolean;
}

/** Which artifacts are being fetched, so that a newer one ends the wait for one that cannot be had. */
export class ArtifactFetches {
  /** By key of the Kustomization, which is reconciled once at a time. */
  readonly #running = new Map<string, { artifact: Artifact; abort: AbortController }>();

  start(key: string, artifact: Artifact, stop: AbortSignal): ArtifactFetch {
    const abort = new AbortController();
    const running = { artifact, abort };
    this.#running.set(key, running);
    return {
      signal: AbortSignal.any([stop, abort.signal]),
      get isReplaced() {
        return abort.signal.aborted && !stop.aborted;
      },
      [Symbol.dispose]: () => {
        // The one that came in its place goes on.
        if (this.#running.get(key) === running) this.#running.delete(key);
      },
    };
  }

  /** The source of a Kustomization has this artifact now. */
  note(key: string, { digest, url }: Artifact): void {
    const fetch = this.#running.get(key);
    if (fetch === undefined) return;
    const isSame = fetch.artifact.digest === digest && fetch.artifact.url === url;
    if (!isSame) fetch.abort.abort(new Error('the source has a newer artifact'));
  }
}
