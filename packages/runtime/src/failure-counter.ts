/**
 * Counts failures by item. Most items that fail do so once and are then forgotten, so the first
 * failure is a membership only: one operation on one table to count it, and one to forget it.
 */
export class FailureCounter<K> {
  private readonly failed = new Set<K>();
  /** Only items that failed more than once; each is in `failed` too. */
  private readonly counts = new Map<K, number>();

  /** Counts one more failure, and gives how many there were before. */
  increment(item: K): number {
    const { failed, counts } = this;
    const sizeBefore = failed.size;
    if (failed.add(item).size > sizeBefore) return 0;
    const count = counts.get(item) ?? 1;
    counts.set(item, count + 1);
    return count;
  }

  countOf(item: K): number {
    return this.counts.get(item) ?? (this.failed.has(item) ? 1 : 0);
  }

  forget(item: K): void {
    this.failed.delete(item);
    if (this.counts.size > 0) this.counts.delete(item);
  }
}
