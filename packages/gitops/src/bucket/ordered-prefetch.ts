/**
 * Does work on items several at a time, and gives the results in the order of the items. No more
 * than so many are under way or waiting to be taken: memory is bounded by that, not by the items.
 */
export async function* orderedPrefetch<T, R>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const underWay: Promise<R>[] = [];
  let next = 0;
  const fill = () => {
    while (next < items.length && underWay.length < concurrency) {
      const started = work(items[next++] as T);
      // Its failure shows when its turn comes; until then it is no one's.
      started.catch(() => undefined);
      underWay.push(started);
    }
  };
  for (fill(); underWay.length > 0; fill()) yield await (underWay.shift() as Promise<R>);
}
