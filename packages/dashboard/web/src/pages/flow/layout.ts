/** What a layout has to know of a box. Columns are counted from the left. */
interface LayoutBox {
  readonly id: string;
  readonly column: number;
  readonly unit: string;
  readonly title: string;
  /** Within its unit, what has less comes first, whatever its neighbours wish. */
  readonly rank: number;
}

interface LayoutLine {
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
  /** Where its neighbours are, from 0 at the top of their column to 1; what has none stays where its name puts it. */
  wish: number;
}

type Neighbours = ReadonlyMap<string, readonly string[]>;

const sweeps = 4;
const byName = new Intl.Collator('en', { numeric: true });

/**
 * The columns are given, so what is left is the order in each, such that few lines cross: every group goes to the
 * mean of the groups beside it, then every box within its group to the mean of its neighbours, from the left and
 * from the right in turn. The order of groups comes of their names and of which leads to which, and of nothing
 * else: the same flow looks the same every time, and neither health, nor opening a group, nor following a path
 * moves one group past another.
 */
export function layOut(question: LayoutQuestion): LayoutAnswer {
  const columns = columnsOf(question.boxes);
  const units = sides(linesOfUnits(question));
  sweep(columns, units, orderUnits);
  const boxes = sides(question.lines);
  let { tops } = places(columns, question);
  sweep(columns, boxes, (column, neighbours) => {
    for (const unit of column) orderMembers(unit, neighbours, tops);
    ({ tops } = places(columns, question));
  });
  return settle(columns, boxes.left, question);
}

/** Forth and back, as often as it takes to settle in practice. */
function sweep(
  columns: readonly Unit[][],
  { left, right }: { readonly left: Neighbours; readonly right: Neighbours },
  order: (column: Unit[], neighbours: Neighbours, columns: readonly Unit[][]) => void,
): void {
  for (let count = 0; count < sweeps; count++) {
    const isForward = count % 2 === 0;
    for (const column of isForward ? columns : columns.toReversed())
      order(column, isForward ? left : right, columns);
  }
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
    column.sort((one, other) => byName.compare(one.id, other.id));
    for (const unit of column)
      sortMembers(unit, (one, other) => byName.compare(one.title, other.title));
  }
  return filled;
}

/** Which group leads to which, once: however many of their boxes are seen. */
function linesOfUnits({ boxes, lines }: LayoutQuestion): LayoutLine[] {
  const unitOf = new Map(boxes.map(({ id, unit }) => [id, unit]));
  const found = new Map<string, LayoutLine>();
  for (const line of lines) {
    const from = unitOf.get(line.from);
    const to = unitOf.get(line.to);
    if (from !== undefined && to !== undefined) found.set(`${from}\n${to}`, { from, to });
  }
  return [...found.values()];
}

function sides(lines: readonly LayoutLine[]): { left: Neighbours; right: Neighbours } {
  const left = new Map<string, string[]>();
  const right = new Map<string, string[]>();
  for (const { from, to } of lines) {
    append(left, to, from);
    append(right, from, to);
  }
  return { left, right };
}

function orderUnits(column: Unit[], neighbours: Neighbours, columns: readonly Unit[][]): void {
  const heights = new Map<string, number>();
  for (const units of columns)
    for (const [index, { id }] of units.entries()) heights.set(id, (index + 0.5) / units.length);
  for (const unit of column)
    unit.wish = mean(neighbours.get(unit.id), heights) ?? heights.get(unit.id) ?? 0;
  column.sort((one, other) => one.wish - other.wish || byName.compare(one.id, other.id));
}

function orderMembers(unit: Unit, neighbours: Neighbours, tops: ReadonlyMap<string, number>): void {
  const wishes = new Map<string, number>();
  for (const { id } of unit.boxes)
    wishes.set(id, mean(neighbours.get(id), tops) ?? tops.get(id) ?? 0);
  sortMembers(unit, (one, other) => (wishes.get(one.id) ?? 0) - (wishes.get(other.id) ?? 0));
}

/** The group's own box, if it has one, stays first. */
function sortMembers(unit: Unit, compare: (one: LayoutBox, other: LayoutBox) => number): void {
  unit.boxes.sort((one, other) => {
    if (one.id === unit.id) return -1;
    return other.id === unit.id ? 1 : one.rank - other.rank || compare(one, other);
  });
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
