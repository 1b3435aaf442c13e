/** A condition in the status of an object. */
export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
  observedGeneration?: number;
  lastTransitionTime: string;
}

/** The longest message that the API takes. */
const maxMessage = 32_768;

/** The summary comes first, then what happens, then how it went. */
const weights: ReadonlyMap<string, number> = new Map([
  ['Stalled', 0],
  ['Reconciling', 1],
  ['Ready', 2],
]);

/**
 * The conditions of one object while it is reconciled. Times move when the status, the reason or the
 * message does, and are whole seconds.
 *
 * ```ts
 * const conditions = new Conditions(undefined, 3, () => Date.UTC(2026, 0, 1));
 * conditions.set('Ready', 'False', 'BuildFailed', 'kustomization.yaml: no such resource');
 * conditions.list(); // [{ type: 'Ready', status: 'False', reason: 'BuildFailed', message: 'kustomization.yaml: no such resource', observedGeneration: 3, lastTransitionTime: '2026-01-01T00:00:00Z' }]
 * ```
 */
export class Conditions {
  readonly #byType = new Map<string, Condition>();
  readonly #generation: number;
  readonly #now: () => number;

  constructor(existing: readonly Condition[] | undefined, generation: number, now: () => number) {
    for (const one of existing ?? []) this.#byType.set(one.type, one);
    this.#generation = generation;
    this.#now = now;
  }

  get(type: string): Condition | undefined {
    return this.#byType.get(type);
  }

  isTrue(type: string): boolean {
    return this.#byType.get(type)?.status === 'True';
  }

  set(type: string, status: Condition['status'], reason: string, message: string): void {
    const text = message.length > maxMessage ? `${message.slice(0, maxMessage - 3)}...` : message;
    const old = this.#byType.get(type);
    const isSame =
      old !== undefined && old.status === status && old.reason === reason && old.message === text;
    this.#byType.set(type, {
      type,
      status,
      reason,
      message: text,
      observedGeneration: this.#generation,
      lastTransitionTime: isSame ? old.lastTransitionTime : secondsText(this.#now()),
    });
  }

  remove(...types: readonly string[]): void {
    for (const type of types) this.#byType.delete(type);
  }

  list(): Condition[] {
    return [...this.#byType.values()].sort(
      (left, right) =>
        weightOf(left) - weightOf(right) ||
        (right.observedGeneration ?? 0) - (left.observedGeneration ?? 0) ||
        (left.type < right.type ? -1 : 1),
    );
  }
}

export function secondsText(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

function weightOf({ type }: Condition): number {
  return weights.get(type) ?? 3;
}
