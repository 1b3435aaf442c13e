import { KubeError, type ListPage, type WatchOptions } from '@waygate/kube';
import type { ListerWatcher, WatchedEvent } from '@waygate/runtime';
import { type ObjectData, objectFrom, type ScenarioObject } from './client-go-object.ts';

type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

interface Watcher {
  push(event: WatchedEvent<ScenarioObject>): void;
  close(): void;
}

/** Objects in memory that can be listed and watched, and whose watches can be broken. */
export class MemorySource implements ListerWatcher<ScenarioObject> {
  readonly supportsWatchList = false;
  private readonly objects = new Map<string, ScenarioObject>();
  private readonly watchers = new Set<Watcher>();
  private readonly history: WatchedEvent<ScenarioObject>[] = [];
  /** How long the history was when a version was current. */
  private readonly positions = new Map<string, number>([['0', 0]]);
  private lastVersion = 0;
  private latest = '0';
  private isExpired = false;
  /** What every list is refused with, if lists are. */
  private readonly listError: string | undefined;

  constructor(listError?: string) {
    this.listError = listError;
  }

  change(type: ChangeType, data: ObjectData, isSilent: boolean): void {
    const version = data.rv ?? String(++this.lastVersion);
    this.lastVersion = Math.max(this.lastVersion, Number(version) || 0);
    const key = `${data.namespace ?? ''}/${data.name}`;
    const known = this.objects.get(key)?.data ?? {};
    const object = objectFrom(
      type === 'DELETED' ? { ...known, ...data, rv: version } : { ...data, rv: version },
    );
    if (type === 'DELETED') this.objects.delete(key);
    else this.objects.set(key, object);
    this.latest = version;
    if (!isSilent) {
      const event = { type, object } as const;
      this.history.push(event);
      for (const watcher of this.watchers) watcher.push(event);
    }
    this.positions.set(version, this.history.length);
  }

  /** Breaks every watch, and forgets what happened before: clients have to list again. */
  resetWatch(): void {
    this.isExpired = true;
    for (const watcher of this.watchers) watcher.close();
    this.watchers.clear();
  }

  names(): string[] {
    return Array.from(this.objects.values(), ({ metadata }) => metadata.name!);
  }

  async list(): Promise<ListPage<ScenarioObject>> {
    if (this.listError !== undefined) throw new KubeError('WG_KUBE_API', this.listError);
    this.isExpired = false;
    return { resourceVersion: this.latest, continue: '', items: [...this.objects.values()] };
  }

  async watch(
    options: WatchOptions,
    signal: AbortSignal,
  ): Promise<AsyncIterable<WatchedEvent<ScenarioObject>>> {
    if (this.isExpired)
      throw new KubeError('WG_KUBE_API', 'too old resource version', {
        status: { code: 410, reason: 'Expired' },
      });
    const position = this.positions.get(options.resourceVersion ?? '') ?? this.history.length;
    return this.stream(this.history.slice(position), signal);
  }

  private stream(
    missed: readonly WatchedEvent<ScenarioObject>[],
    signal: AbortSignal,
  ): AsyncIterable<WatchedEvent<ScenarioObject>> {
    const events = [...missed];
    let isClosed = false;
    let wake = () => {};
    const watcher: Watcher = {
      push: (event) => {
        events.push(event);
        wake();
      },
      close: () => {
        isClosed = true;
        wake();
      },
    };
    const { watchers } = this;
    watchers.add(watcher);
    signal.addEventListener('abort', () => watcher.close(), { once: true });
    return (async function* () {
      try {
        for (;;) {
          while (events.length > 0) yield events.shift()!;
          if (isClosed) return;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      } finally {
        watchers.delete(watcher);
      }
    })();
  }
}
