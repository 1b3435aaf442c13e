/**
 * Runs work when everything that has arrived by now was read. A process that stood still for a while, since its
 * collector ran or no core was free for it, comes to its timers first and to what came meanwhile after them: whoever
 * answered in time must not be taken for silent.
 *
 * ```ts
 * const timer = setTimeout(() => afterArrivals(() => console.log('nobody answered')), 1_000);
 * clearTimeout(timer);
 * ```
 */
export function afterArrivals(work: () => void): void {
  setImmediate(work);
}
