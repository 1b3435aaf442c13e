/** What a layout has to know of a box. Columns are counted from the left. */
export interface LayoutBox {
  readonly id: string;
  readonly column: number;
  readonly unit: string;
  readonly title: string;
  /** Within its unit, what has less comes first, whatever its neighbours wish. */
  readonly rank: number;
}

export interface LayoutLine {
  readonly from: string;
  readonly to: string;
}

export interface LayoutQuestion {
  readonly boxes: readonly LayoutBox[];
  readonly lines: readonly LayoutLine[];
  readonly boxHeight: number;
  readonly gap: number;
  /** Between groups. */
  readonly unitGap: number;
}

/** The top of every box, and how high the whole is. */
export interface LayoutAnswer {
  readonly tops: ReadonlyMap<string, number>;
  readonly height: number;
}

interface Unit {
  readonly id: string;
  readonly boxes: LayoutBox[];
  /** Where its neighbours are; what has none stays where its name puts it. */
  wish: number;
}

const sweeps = 4;
const byTitle = new Intl.Collator('en', { numeric: true });

/**
 * The columns are given, so what is left is the order in each, such that few lines cross: every group goes to the
 * mean of its neighbours, from the left and from the right in turn. It begins by name and depends on nothing else,
 * so the same flow looks the same every time, and health never moves a box.
 */
export function layOut(question: LayoutQuestion): LayoutAnswer {
  const columns = columnsOf(question.boxes);
  const left = new Map<string, string[]>();
  const right = new Map<string, string[]>();
  for (const { from, to } of question.lines) {
    append(left, to, from);
    append(right, from, to);
  }
  let place = places(columns, question);
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const isForward = sweep % 2 === 0;
    const order = isForward ? columns : columns.toReversed();
    for (const column of order) {
      sortColumn(column, isForward ? left : right, place.tops);
      place = places(columns, question);
    }
  }
  return settle(columns, left, question);
}

function columnsOf(boxes: readonly LayoutBox[]): Unit[][] {
  const units = new Map<string, Unit>();
  const columns: Unit[][] = [];
  for (const box of boxes) {
    const known = units.get(box.unit);
    if (known) {
      known.boxes.push(box);
      continue;
    }
    const unit = { id: box.unit, boxes: [box], wish: 0 };
    units.set(box.unit, unit);
    const column = columns[box.column] ?? [];
    columns[box.column] = column;
    column.push(unit);
  }
  const filled = Array.from(columns, (column) => column ?? []);
  for (const column of filled) {
    column.sort((one, other) => byTitle.compare(titleOf(one), titleOf(other)));
    for (const unit of column)
      sortMembers(unit, (one, other) => byTitle.compare(one.title, other.title));
  }
  return filled;
}

function titleOf(unit: Unit): string {
  return unit.boxes[0]?.title ?? '';
}

/** The group's own box, if it has one, stays first. */
function sortMembers(unit: Unit, compare: (one: LayoutBox, other: LayoutBox) => number): void {
  unit.boxes.sort((one, other) => {
    if (one.id === unit.id) return -1;
    return other.id === unit.id ? 1 : one.rank - other.rank || compare(one, other);
  });
}

function sortColumn(
  column: Unit[],
  neighbours: ReadonlyMap<string, readonly string[]>,
  tops: ReadonlyMap<string, number>,
): void {
  for (const unit of column) {
    const wishes = new Map<string, number>();
    let sum = 0;
    for (const box of unit.boxes) {
      const wish = mean(neighbours.get(box.id), tops) ?? tops.get(box.id) ?? 0;
      wishes.set(box.id, wish);
      sum += wish;
    }
    unit.wish = sum / unit.boxes.length;
    sortMembers(unit, (one, other) => (wishes.get(one.id) ?? 0) - (wishes.get(other.id) ?? 0));
  }
  column.sort((one, other) => one.wish - other.wish);
}

/** One below the other, from the top. */
function places(columns: readonly Unit[][], question: LayoutQuestion): LayoutAnswer {
  return stack(columns, question, () => undefined);
}

/** At last every unit goes down to its neighbours on the left, so that lines run straight. */
function settle(
  columns: readonly Unit[][],
  left: ReadonlyMap<string, readonly string[]>,
  question: LayoutQuestion,
): LayoutAnswer {
  return stack(columns, question, (unit, tops) => {
    const [first] = unit.boxes;
    return first && mean(left.get(first.id), tops);
  });
}

function stack(
  columns: readonly Unit[][],
  { boxHeight, gap, unitGap }: LayoutQuestion,
  wishOf: (unit: Unit, tops: ReadonlyMap<string, number>) => number | undefined,
): LayoutAnswer {
  const tops = new Map<string, number>();
  let height = 0;
  for (const column of columns) {
    let next = 0;
    for (const unit of column) {
      next = Math.max(next, wishOf(unit, tops) ?? 0);
      for (const box of unit.boxes) {
        tops.set(box.id, next);
        next += boxHeight + gap;
      }
      if (unit.boxes.length > 1) next += unitGap;
    }
    height = Math.max(height, next);
  }
  return { tops, height };
}

function mean(
  ids: readonly string[] | undefined,
  tops: ReadonlyMap<string, number>,
): number | undefined {
  let sum = 0;
  let count = 0;
  for (const id of ids ?? []) {
    const top = tops.get(id);
    if (top === undefined) continue;
    sum += top;
    count++;
  }
  return count === 0 ? undefined : sum / count;
}

function append(map: Map<string, string[]>, key: string, value: string): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
