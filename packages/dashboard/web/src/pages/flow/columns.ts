import type { FlowBox } from './folding.ts';
import { columnOf } from './layout-question.ts';

/** Where the six columns stand, in pixels. */
export interface Columns {
  /** Of one box. */
  readonly width: number;
  readonly gap: number;
  /** Of all columns, with the room at both edges. */
  readonly total: number;
}

/** What is left free at both sides. */
export const edge = 28;
const count = 6;
const narrowest = 136;
const widest = 230;

/** As wide as the page lets them be, within what can be read. */
export function columnsIn(viewportWidth: number): Columns {
  const gap = viewportWidth < 700 ? 36 : 44;
  const share = (viewportWidth - 2 * edge - (count - 1) * gap) / count;
  const width = Math.max(narrowest, Math.min(widest, share));
  return { width, gap, total: 2 * edge + count * width + (count - 1) * gap };
}

export function leftOfColumn({ width, gap }: Columns, column: number): number {
  return edge + column * (width + gap);
}

export function leftOfBox(columns: Columns, { stage }: FlowBox): number {
  return leftOfColumn(columns, columnOf(stage));
}

/** What is laid out but not near what is seen is not drawn. */
const margin = 400;

/** The part of the graph that is drawn. */
export function drawnPart({ top, height }: { readonly top: number; readonly height: number }): {
  readonly from: number;
  readonly until: number;
} {
  return { from: top - margin, until: top + height + margin };
}

export function boxesIn(
  { from, until }: { readonly from: number; readonly until: number },
  boxes: readonly FlowBox[],
  tops: ReadonlyMap<string, number>,
): readonly FlowBox[] {
  return boxes.filter(({ id }) => {
    const top = tops.get(id);
    return top !== undefined && top > from && top < until;
  });
}
