import type { Duplex } from 'node:stream';
import type { DynamicObject } from '@waygate/schema';

/** Which lines of a container's output are wanted, as `kubectl logs` asks for them. */
export interface PodLogOptions {
  readonly container: string;
  /** Goes on with what comes, until the container ends or the signal aborts. */
  readonly isFollowing: boolean;
  /** The run before this one. */
  readonly isPrevious: boolean;
  readonly hasTimestamps: boolean;
  readonly tailLines: number | undefined;
  /** Milliseconds since the epoch. */
  readonly sinceMs: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * What stands behind Pods where something does: the server itself runs nothing. A program that embeds it
 * and starts processes gives them to `kubectl logs` and `kubectl port-forward` through this.
 */
export interface PodRuntime {
  /** Why nothing can be asked of this Pod, as a sentence; undefined when it can. */
  refusal(pod: Readonly<DynamicObject>): string | undefined;
  /** Whole lines, each with its line break. */
  log(pod: Readonly<DynamicObject>, options: PodLogOptions): AsyncIterable<string>;
  /** A connection to a port that the Pod's containers name. */
  connect(pod: Readonly<DynamicObject>, port: number): Promise<Duplex>;
}
