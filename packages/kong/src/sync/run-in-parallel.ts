/**
 * Does a piece of work for each item, a limited number at a time. The first failure stops it.
 *
 * ```ts
 * await runInParallel(['a', 'b', 'c'], 2, async (name) => console.log(name)); // two at a time
 * ```
 */
export async function runInParallel<Item>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let next = 0;
  let hasFailed = false;
  const worker = async (): Promise<void> => {
    while (next < items.length && !hasFailed) {
      const item = items[next] as Item;
      next += 1;
      try {
        await work(item);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}
