/** A run of lines that both sides have: `a[i..i+size]` is `b[j..j+size]`. */
interface Match {
  readonly i: number;
  readonly j: number;
  readonly size: number;
}

interface Change {
  readonly tag: 'equal' | 'replace' | 'delete' | 'insert';
  readonly i1: number;
  readonly i2: number;
  readonly j1: number;
  readonly j2: number;
}

const context = 3;

/** The difference of two texts in the unified format, found the way Python's difflib does. */
export function unifiedDiff(before: string, after: string): string {
  const a = linesOf(before);
  const b = linesOf(after);
  let out = '';
  for (const group of grouped(changesOf(a, b))) {
    const [first, last] = [group[0] as Change, group.at(-1) as Change];
    out += `@@ -${range(first.i1, last.i2)} +${range(first.j1, last.j2)} @@\n`;
    for (const { tag, i1, i2, j1, j2 } of group) {
      if (tag === 'equal') {
        out += prefixed(' ', a.slice(i1, i2));
        continue;
      }
      if (tag !== 'insert') out += prefixed('-', a.slice(i1, i2));
      if (tag !== 'delete') out += prefixed('+', b.slice(j1, j2));
    }
  }
  return out;
}

function linesOf(text: string): string[] {
  return text.split('\n').map((line) => `${line}\n`);
}

function prefixed(sign: string, lines: readonly string[]): string {
  return lines.map((line) => `${sign}${line}`).join('');
}

function range(start: number, stop: number): string {
  const length = stop - start;
  if (length === 1) return String(start + 1);
  return `${length === 0 ? start : start + 1},${length}`;
}

function changesOf(a: readonly string[], b: readonly string[]): Change[] {
  const changes: Change[] = [];
  let [i, j] = [0, 0];
  for (const match of [...matchesOf(a, b), { i: a.length, j: b.length, size: 0 }]) {
    const tag =
      i < match.i && j < match.j
        ? 'replace'
        : i < match.i
          ? 'delete'
          : j < match.j
            ? 'insert'
            : undefined;
    if (tag !== undefined) changes.push({ tag, i1: i, i2: match.i, j1: j, j2: match.j });
    i = match.i + match.size;
    j = match.j + match.size;
    if (match.size > 0) changes.push({ tag: 'equal', i1: match.i, i2: i, j1: match.j, j2: j });
  }
  return changes;
}

function matchesOf(a: readonly string[], b: readonly string[]): Match[] {
  const places = new Map<string, number[]>();
  for (const [index, line] of b.entries()) {
    const known = places.get(line);
    if (known === undefined) places.set(line, [index]);
    else known.push(index);
  }
  // Lines that are everywhere say nothing about where the texts meet.
  if (b.length >= 200) {
    const limit = Math.floor(b.length / 100) + 1;
    for (const [line, indices] of places) if (indices.length > limit) places.delete(line);
  }
  const found: Match[] = [];
  const queue: [number, number, number, number][] = [[0, a.length, 0, b.length]];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const [aLow, aHigh, bLow, bHigh] = next;
    const match = longest(a, b, places, next);
    if (match.size === 0) continue;
    found.push(match);
    if (aLow < match.i && bLow < match.j) queue.push([aLow, match.i, bLow, match.j]);
    if (match.i + match.size < aHigh && match.j + match.size < bHigh)
      queue.push([match.i + match.size, aHigh, match.j + match.size, bHigh]);
  }
  return joined(found.sort((x, y) => x.i - y.i || x.j - y.j));
}

function longest(
  a: readonly string[],
  b: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
  [aLow, aHigh, bLow, bHigh]: readonly [number, number, number, number],
): Match {
  let [bestI, bestJ, size] = [aLow, bLow, 0];
  let lengths = new Map<number, number>();
  for (let i = aLow; i < aHigh; i++) {
    const next = new Map<number, number>();
    for (const j of places.get(a[i] as string) ?? []) {
      if (j < bLow) continue;
      if (j >= bHigh) break;
      const length = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, length);
      if (length > size) [bestI, bestJ, size] = [i - length + 1, j - length + 1, length];
    }
    lengths = next;
  }
  while (bestI > aLow && bestJ > bLow && a[bestI - 1] === b[bestJ - 1]) {
    bestI--;
    bestJ--;
    size++;
  }
  while (bestI + size < aHigh && bestJ + size < bHigh && a[bestI + size] === b[bestJ + size])
    size++;
  return { i: bestI, j: bestJ, size };
}

function joined(matches: readonly Match[]): Match[] {
  const result: Match[] = [];
  for (const match of matches) {
    const last = result.at(-1);
    if (last !== undefined && last.i + last.size === match.i && last.j + last.size === match.j)
      result[result.length - 1] = { ...last, size: last.size + match.size };
    else result.push(match);
  }
  return result;
}

/** Changes with a little of what surrounds them; far apart ones are apart. */
function grouped(changes: readonly Change[]): Change[][] {
  const trimmed = [...changes];
  const first = trimmed[0];
  if (first?.tag === 'equal') {
    trimmed[0] = {
      ...first,
      i1: Math.max(first.i1, first.i2 - context),
      j1: Math.max(first.j1, first.j2 - context),
    };
  }
  const last = trimmed.at(-1);
  if (last?.tag === 'equal') {
    trimmed[trimmed.length - 1] = {
      ...last,
      i2: Math.min(last.i2, last.i1 + context),
      j2: Math.min(last.j2, last.j1 + context),
    };
  }
  const groups: Change[][] = [];
  let group: Change[] = [];
  for (const change of trimmed) {
    if (change.tag === 'equal' && change.i2 - change.i1 > 2 * context) {
      group.push({ ...change, i2: change.i1 + context, j2: change.j1 + context });
      groups.push(group);
      group = [];
      group.push({ ...change, i1: change.i2 - context, j1: change.j2 - context });
    } else group.push(change);
  }
  if (group.some((change) => change.tag !== 'equal')) groups.push(group);
  return groups.filter((each) => each.some((change) => change.tag !== 'equal'));
}
