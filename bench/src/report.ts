import type { Row } from './benchmark.ts';

/** A Markdown table of the rows with ratios to each peer, and how cost grew with N. */
export function toTable(rows: readonly Row[]): string {
  const lines = ['| what | N | ours | peers (peer / ours) | goal |', '|---|--:|--:|---|---|'];
  for (const row of rows) {
    lines.push(
      `| ${row.name} | ${row.n ?? ''} | ${figure(row.ours)} ${row.unit} | ${peers(row)} | ${goal(row)} |`,
    );
  }
  const growth = growthOverN(rows);
  return growth.length === 0 ? lines.join('\n') : [...lines, '', ...growth].join('\n');
}

function peers(row: Row): string {
  return Object.entries(row.peers ?? {})
    .map(([name, value]) => `${name} ${figure(value)} (${(value / row.ours).toFixed(2)}×)`)
    .join(', ');
}

function goal(row: Row): string {
  return row.goal === undefined ? '' : `${row.goal.isMet ? 'met' : 'NOT met'}: ${row.goal.text}`;
}

/** For each measure taken at several N: the exponent of cost between the first and the last. 1 is linear. */
function growthOverN(rows: readonly Row[]): string[] {
  const series = new Map<string, Row[]>();
  for (const row of rows) {
    if (row.n === undefined || row.better === 'higher') continue;
    series.set(row.name, [...(series.get(row.name) ?? []), row]);
  }
  const lines: string[] = [];
  for (const [name, points] of series) {
    const first = points[0]!;
    const last = points.at(-1)!;
    if (points.length < 2 || first.ours <= 0 || last.ours <= 0) continue;
    const exponent = Math.log(last.ours / first.ours) / Math.log(last.n! / first.n!);
    lines.push(`${name}: cost grows as N^${exponent.toFixed(2)} from ${first.n} to ${last.n}`);
  }
  return lines;
}

function figure(value: number): string {
  if (value === 0) return '0';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toPrecision(3);
}
