import {
  type Deleted,
  DeletedFinalStateUnknown,
  type FakeClock,
  type IndexReader,
  metaNamespaceKey,
  type ResourceEventHandler,
} from '@waygate/runtime';
import type { ScenarioObject } from './client-go-object.ts';
import { differs, type Problem } from './client-go-scenario.ts';

export interface HandlerData {
  readonly blocked?: boolean;
  readonly throwsOn?: readonly string[];
  readonly asyncMs?: number;
  readonly assertStoreAtLeastAsNew?: boolean;
}

/** What a handler was told. */
export interface SeenEvent {
  readonly action: 'add' | 'update' | 'delete';
  readonly key: string;
  readonly name: string | undefined;
  readonly rv: string | undefined;
  readonly oldRV?: string | undefined;
  readonly newRV?: string | undefined;
  readonly isInInitialList?: boolean;
  readonly tombstone: boolean;
}

/** A handler that remembers what it was told, and can be slow, stuck or faulty. */
export class ScenarioHandler implements ResourceEventHandler<ScenarioObject> {
  /** Since the last clear. */
  events: SeenEvent[] = [];
  readonly state: Record<string, string> = {};
  private readonly data: HandlerData;
  private readonly clock: FakeClock;
  private readonly store: () => IndexReader<ScenarioObject>;
  private readonly problems: string[] = [];
  private received = new Set<string>();
  private gate: Promise<void> | undefined;
  private openGate = () => {};
  private callsGoingOn = 0;

  constructor(data: HandlerData, clock: FakeClock, store: () => IndexReader<ScenarioObject>) {
    this.data = data;
    this.clock = clock;
    this.store = store;
    if (data.blocked)
      this.gate = new Promise((resolve) => {
        this.openGate = resolve;
      });
  }

  onAdd(object: ScenarioObject, isInInitialList: boolean): Promise<void> | void {
    return this.take('add', object, { isInInitialList });
  }

  onUpdate(oldObject: ScenarioObject, object: ScenarioObject): Promise<void> | void {
    return this.take('update', object, {
      oldRV: oldObject.metadata.resourceVersion,
      newRV: object.metadata.resourceVersion,
    });
  }

  onDelete(deleted: Deleted<ScenarioObject>): Promise<void> | void {
    return this.take('delete', deleted, {});
  }

  unblock(): void {
    this.gate = undefined;
    this.openGate();
  }

  /** Names of the objects added or updated since the last clear, sorted. */
  receivedNames(): string[] {
    return [...this.received].sort();
  }

  clearReceived(): void {
    this.received = new Set();
    this.events = [];
  }

  /** Whether calls came one at a time and what they told is in order. */
  get isOrderedWithoutOverlap(): boolean {
    const numbers = this.events.map(({ rv }) => Number(rv));
    const isOrdered = numbers.every((rv, index) => index === 0 || rv >= numbers[index - 1]!);
    return isOrdered && this.problems.length === 0;
  }

  assertions(): Problem {
    return this.problems[0] === undefined ? undefined : differs('ok', this.problems[0]);
  }

  private take(
    action: SeenEvent['action'],
    object: Deleted<ScenarioObject>,
    more: Partial<SeenEvent>,
  ): Promise<void> | void {
    if (this.callsGoingOn > 0) this.problems.push('two calls overlap');
    if (this.gate === undefined && this.data.asyncMs === undefined) {
      this.note(action, object, more);
      return undefined;
    }
    return this.takeSlowly(action, object, more);
  }

  private async takeSlowly(
    action: SeenEvent['action'],
    object: Deleted<ScenarioObject>,
    more: Partial<SeenEvent>,
  ): Promise<void> {
    this.callsGoingOn++;
    await this.gate;
    if (this.data.asyncMs !== undefined) await this.clock.sleep(this.data.asyncMs);
    this.callsGoingOn--;
    this.note(action, object, more);
  }

  private note(
    action: SeenEvent['action'],
    object: Deleted<ScenarioObject>,
    more: Partial<SeenEvent>,
  ): void {
    const isTombstone = object instanceof DeletedFinalStateUnknown;
    const key = isTombstone ? object.key : metaNamespaceKey(object);
    const state = isTombstone ? object.object : object;
    const name = state?.metadata.name;
    const rv = state?.metadata.resourceVersion;
    if (name !== undefined && this.data.throwsOn?.includes(name))
      throw new Error(`refused ${name}`);
    if (this.data.assertStoreAtLeastAsNew && action !== 'delete') {
      const stored = this.store().getByKey(key)?.metadata.resourceVersion;
      if (!(Number(stored) >= Number(rv)))
        this.problems.push(`${key}: told ${rv}, stored ${stored}`);
    }
    this.events.push({ action, key, name, rv, tombstone: isTombstone, ...more });
    if (action === 'delete') delete this.state[name ?? key];
    else {
      this.state[name!] = rv ?? '';
      this.received.add(name!);
    }
  }
}
