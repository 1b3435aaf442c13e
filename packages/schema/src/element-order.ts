import { encodeJson, getOwn, isObject } from '@waygate/text';

/** An item's identity in a list: its merge key, or itself when it is a scalar. */
export function identityOf(item: unknown, mergeKey: string | undefined): string {
  const value = mergeKey !== undefined && isObject(item) ? getOwn(item, mergeKey) : item;
  return encodeJson(value ?? null);
}

/** The items that `listed` names, and the others, each in their order. */
export function partitionByPresence(
  items: readonly unknown[],
  listed: readonly unknown[],
  mergeKey: string | undefined,
): [present: unknown[], absent: unknown[]] {
  const names = new Set(listed.map((item) => identityOf(item, mergeKey)));
  const present: unknown[] = [];
  const absent: unknown[] = [];
  for (const item of items) (names.has(identityOf(item, mergeKey)) ? present : absent).push(item);
  return [present, absent];
}

/**
 * Weaves items that only the server has into those of the patch: the patch's items keep the
 * patch's order, the server's keep the server's, and where the server knows both, its order holds.
 */
export function orderElements(
  patchItems: readonly unknown[],
  serverItems: readonly unknown[],
  patchOrder: readonly unknown[],
  serverOrder: readonly unknown[],
  mergeKey: string | undefined,
): unknown[] {
  const inServer = positionsOf(serverOrder, mergeKey);
  const fromPatch = sortBy(patchItems, positionsOf(patchOrder, mergeKey), mergeKey);
  const fromServer = sortBy(serverItems, inServer, mergeKey);
  const woven: unknown[] = [];
  let left = 0;
  let right = 0;
  while (left < fromServer.length && right < fromPatch.length) {
    const leftAt = inServer.get(identityOf(fromServer[left], mergeKey));
    const rightAt = inServer.get(identityOf(fromPatch[right], mergeKey));
    const serverFirst = leftAt !== undefined && rightAt !== undefined && leftAt < rightAt;
    woven.push(serverFirst ? fromServer[left++] : fromPatch[right++]);
  }
  return [...woven, ...fromServer.slice(left), ...fromPatch.slice(right)];
}

function positionsOf(list: readonly unknown[], mergeKey: string | undefined): Map<string, number> {
  const positions = new Map<string, number>();
  list.forEach((item, at) => {
    const identity = identityOf(item, mergeKey);
    if (!positions.has(identity)) positions.set(identity, at);
  });
  return positions;
}

function sortBy(
  items: readonly unknown[],
  positions: ReadonlyMap<string, number>,
  mergeKey: string | undefined,
): unknown[] {
  const at = (item: unknown) => positions.get(identityOf(item, mergeKey)) ?? -1;
  return [...items].sort((a, b) => at(a) - at(b));
}
