import type { ChangeRow } from '../../../../src/protocol/changes.ts';

/** One day of the timeline, newest first. */
interface ChangeDay {
  readonly title: string;
  readonly rows: readonly ChangeRow[];
}

/** Words before a colon. */
export const changeFields = ['ns', 'author', 'commit', 'object', 'kind'];

/** Newest first, those that every word allows. */
export function filterChanges(
  rows: readonly ChangeRow[],
  typed: string,
  kind: string,
): readonly ChangeRow[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return rows
    .filter(
      (row) => (kind === '' || row.kind === kind) && words.every((word) => matches(row, word)),
    )
    .toSorted((one, other) => other.at - one.at || (other.id > one.id ? 1 : -1));
}

function matches(row: ChangeRow, word: string): boolean {
  const colon = word.indexOf(':');
  const field = word.slice(0, Math.max(0, colon));
  const text = changeFields.includes(field) ? word.slice(colon + 1) : word;
  const texts = textsOf(row);
  return (texts[field] ?? Object.values(texts).join(' ')).includes(text);
}

const known = new WeakMap<ChangeRow, Readonly<Record<string, string>>>();

function textsOf(row: ChangeRow): Readonly<Record<string, string>> {
  const before = known.get(row);
  if (before) return before;
  const objects = row.objects.map((object) => `${object.kind} ${object.namespace}/${object.name}`);
  const texts = {
    ns: row.namespaces.join(' ').toLowerCase(),
    author: (row.author ?? '').toLowerCase(),
    commit: `${row.origin?.commit ?? ''} ${row.origin?.revision ?? ''}`.toLowerCase(),
    object: objects.join(' ').toLowerCase(),
    kind: row.kind,
    title: row.title.toLowerCase(),
  };
  known.set(row, texts);
  return texts;
}

const dayMs = 24 * 60 * 60_000;

/** `Today`, `Yesterday`, then dates. */
export function byDay(rows: readonly ChangeRow[], now: number): ChangeDay[] {
  const days: { title: string; rows: ChangeRow[] }[] = [];
  for (const row of rows) {
    const title = dayTitle(row.at, now);
    const last = days.at(-1);
    if (last?.title === title) last.rows.push(row);
    else days.push({ title, rows: [row] });
  }
  return days;
}

function dayTitle(at: number, now: number): string {
  const day = new Date(at).toDateString();
  if (day === new Date(now).toDateString()) return 'Today';
  if (day === new Date(now - dayMs).toDateString()) return 'Yesterday';
  return new Date(at).toLocaleDateString([], { weekday: 'long', day: 'numeric', month: 'long' });
}
