import type { FoldedFlow } from './folding.ts';

/**
 * Where an arrow leads: up and down in the column, left and right along a line, to the followed one or else the
 * nearest. Undefined: the key is not for walking, or there is nothing in that direction.
 */
export function walkFrom(
  key: string,
  from: string | undefined,
  flow: FoldedFlow,
  tops: ReadonlyMap<string, number>,
): string | undefined {
  const box = flow.boxes.find(({ id }) => id === from);
  if (!box) return key.startsWith('Arrow') ? flow.boxes[0]?.id : undefined;
  const at = tops.get(box.id) ?? 0;
  const distance = (id: string) => Math.abs((tops.get(id) ?? 0) - at);
  if (key === 'ArrowUp' || key === 'ArrowDown') {
    const side = key === 'ArrowUp' ? -1 : 1;
    const column = flow.boxes.filter(({ stage, id }) => {
      const way = ((tops.get(id) ?? 0) - at) * side;
      return stage === box.stage && id !== box.id && way > 0;
    });
    return nearest(
      column.map(({ id }) => id),
      distance,
    );
  }
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return undefined;
  const lines = flow.lines.filter((line) =>
    key === 'ArrowRight' ? line.from === box.id && line.to !== undefined : line.to === box.id,
  );
  const followed = lines.filter(({ isFollowed }) => isFollowed);
  const ends = (followed.length > 0 ? followed : lines).map((line) =>
    key === 'ArrowRight' ? (line.to ?? line.from) : line.from,
  );
  return nearest(ends, distance);
}

function nearest(ids: readonly string[], distance: (id: string) => number): string | undefined {
  let best: string | undefined;
  for (const id of ids) if (best === undefined || distance(id) < distance(best)) best = id;
  return best;
}
