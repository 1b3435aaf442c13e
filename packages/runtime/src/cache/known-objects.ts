/** What the consumer of a FIFO holds: needed to notice what a list no longer has. */
export interface KnownObjects<T> {
  listKeys(): readonly string[];
  getByKey(key: string): T | undefined;
}
