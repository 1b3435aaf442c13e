export type Compare<T> = (one: T, two: T) => number;

/** Where an item is in a sorted list, or would be. What comes in order goes to the end at once. */
export function lowerBound<T>(list: readonly T[], item: T, compare: Compare<T>): number {
  const last = list.at(-1);
  if (last === undefined || compare(last, item) < 0) {
    return list.length;
  }
  let low = 0;
  let high = list.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(list[middle] as T, item) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

export function insertSorted<T>(list: T[], item: T, compare: Compare<T>): void {
  list.splice(lowerBound(list, item, compare), 0, item);
}

export function removeSorted<T>(list: T[], item: T, compare: Compare<T>): void {
  const at = lowerBound(list, item, compare);
  if (list[at] === item) {
    list.splice(at, 1);
  }
}
