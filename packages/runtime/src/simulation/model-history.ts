import type { KubeObject } from '@waygate/schema';
import type { Clock } from '../time/clock.ts';

interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
  readonly version: number;
}

/** All that ever happened to the objects of a model API server, one version after the other. */
export class ModelHistory {
  readonly #changes: Change[] = [];
  readonly #current = new Map<string, KubeObject>();
  readonly #waiting = new Set<() => void>();
  #created = 0;
  /** Watches from before this version are refused. */
  compactedVersion = 0;

  get version(): number {
    return this.#changes.length;
  }

  /** The objects as they are now. */
  objects(): ReadonlyMap<string, KubeObject> {
    return this.#current;
  }

  /** The objects as they were at a version. */
  objectsAt(version: number): Map<string, KubeObject> {
    const objects = new Map<string, KubeObject>();
    for (const { type, object } of this.#changes.slice(0, version)) {
      if (type === 'DELETED') objects.delete(object.metadata.name!);
      else objects.set(object.metadata.name!, object);
    }
    return objects;
  }

  /** What happened after a version. */
  after(version: number): readonly Change[] {
    return this.#changes.slice(version);
  }

  at(position: number): Change | undefined {
    return this.#changes[position];
  }

  /** Waits for a change; false when the time passes, or the signal aborts, first. */
  news(clock: Clock, waitMs: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const finish = (hasNews: boolean) => {
        timer.cancel();
        signal.removeEventListener('abort', onAbort);
        this.#waiting.delete(onNews);
        resolve(hasNews);
      };
      const onNews = () => finish(true);
      const onAbort = () => finish(false);
      const timer = clock.after(waitMs, onAbort);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(onNews);
    });
  }

  put(name: string): void {
    const known = this.#current.get(name);
    const uid = known?.metadata.uid ?? `uid-${++this.#created}`;
    const object = this.#object(name, uid);
    this.#current.set(name, object);
    this.#push(known === undefined ? 'ADDED' : 'MODIFIED', object);
  }

  delete(name: string): void {
    const known = this.#current.get(name);
    if (known === undefined) return;
    this.#current.delete(name);
    this.#push('DELETED', this.#object(name, known.metadata.uid!));
  }

  #object(name: string, uid: string): KubeObject {
    return {
      apiVersion: 'v1',
      kind: 'Thing',
      metadata: { name, uid, resourceVersion: String(this.version + 1) },
    };
  }

  #push(type: Change['type'], object: KubeObject): void {
    this.#changes.push({ type, object, version: this.version + 1 });
    for (const tell of [...this.#waiting]) tell();
  }
}
