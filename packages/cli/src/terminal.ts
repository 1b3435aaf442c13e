import type { CliContext } from './context.ts';

/** What a line may look like where it goes. */
interface Terminal {
  /** Columns that fit; absent where nobody looks: a pipe, a file. */
  readonly width?: number;
  readonly hasColour: boolean;
}

/** The narrowest terminal that tables are made for. */
const leastWidth = 80;

/** What standard output is, with `NO_COLOR`, `TERM=dumb` and `COLUMNS` honoured. */
export function terminalOf({ stdout, env }: Pick<CliContext, 'stdout' | 'env'>): Terminal {
  if (stdout.isTTY !== true) return { hasColour: false };
  const told = Number(env.COLUMNS);
  const width = Number.isInteger(told) && told > 0 ? told : (stdout.columns ?? leastWidth);
  const isPlain = (env.NO_COLOR !== undefined && env.NO_COLOR !== '') || env.TERM === 'dumb';
  return { width: Math.max(width, leastWidth), hasColour: !isPlain };
}

const colours = { good: '32', bad: '31', odd: '33', faint: '2' } as const;

/** How a cell is meant; a terminal with colours shows it. */
type Tone = keyof typeof colours;

/** A cell of a table: its text, and how it is meant. */
export interface Cell {
  readonly text: string;
  readonly tone?: Tone;
}

const gap = 3;
/** A last column that is narrower says nothing: it goes below its row instead. */
const leastRoom = 24;
/** How many lines a last cell takes below its row; more of it is in a pipe, or with `-o wide`. */
const mostLines = 3;
const indent = '    ';

/**
 * Columns below one another, in a pipe as wide as they need to be. On a terminal nothing is wider than it: the
 * last column takes what room is left and ends in `…`; where that would be next to none, a long last cell
 * stands below its row; and if even then the others are too wide, the widest lose their middle.
 */
export function fittingTable(
  rows: readonly (readonly Cell[])[],
  terminal: Terminal,
  /** Of rows that are printed one by one: how wide columns are at least. */
  leastWidths: readonly number[] = [],
): string {
  const natural = leadingWidths(rows).map((width, column) =>
    Math.max(width, leastWidths[column] ?? 0),
  );
  const widths = narrowed(natural, terminal.width ?? Infinity);
  const room = (terminal.width ?? Infinity) - widths.reduce((sum, width) => sum + width + gap, 0);
  return rows.flatMap((row) => linesOf(row, widths, room, terminal)).join('\n');
}

/** Whether columns leave a last one its room. */
export function areWithin(rows: readonly (readonly Cell[])[], width: number): boolean {
  return leadingWidths(rows).reduce((sum, each) => sum + each + gap, leastRoom) <= width;
}

/** How wide all columns but the last are. */
function leadingWidths(rows: readonly (readonly Cell[])[]): number[] {
  return (rows[0] ?? [])
    .slice(0, -1)
    .map((_, column) =>
      rows.reduce((most, row) => Math.max(most, row[column]?.text.length ?? 0), 0),
    );
}

function linesOf(
  row: readonly Cell[],
  widths: readonly number[],
  room: number,
  terminal: Terminal,
): string[] {
  const before = widths
    .map((width, column) => {
      const { text = '', tone } = row[column] ?? {};
      const shown = withoutMiddle(text, width);
      return `${coloured(shown, tone, terminal)}${' '.repeat(width + gap - shown.length)}`;
    })
    .join('');
  const { text = '', tone } = row[widths.length] ?? {};
  if (text.length <= room || room >= leastRoom) {
    return [`${before}${coloured(shortened(text, room), tone, terminal)}`.trimEnd()];
  }
  const below = wrapped(text, (terminal.width ?? Infinity) - indent.length);
  return [before.trimEnd(), ...below.map((line) => `${indent}${coloured(line, tone, terminal)}`)];
}

/** Takes from the widest first, so that what is short stays whole. */
function narrowed(widths: readonly number[], most: number): number[] {
  const narrow = [...widths];
  let excess = narrow.reduce((sum, width) => sum + width, 0) + gap * (narrow.length - 1) - most;
  while (excess > 0) {
    const widest = Math.max(...narrow);
    if (widest <= 8) break;
    narrow[narrow.indexOf(widest)] = widest - 1;
    excess -= 1;
  }
  return narrow;
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width && lines.length < mostLines - 1) {
    const space = rest.lastIndexOf(' ', width);
    const end = space > width / 2 ? space : width;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, shortened(rest, width)];
}

function shortened(text: string, room: number): string {
  return text.length <= room ? text : `${text.slice(0, Math.max(room - 1, 0))}…`;
}

function withoutMiddle(text: string, room: number): string {
  if (text.length <= room) return text;
  const head = Math.ceil((room - 1) / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (room - 1 - head))}`;
}

/** How the status of a condition is meant. */
export function stateTone(status: string | undefined): Tone {
  return status === 'True' ? 'good' : status === 'False' ? 'bad' : 'odd';
}

/** A text as it is meant, where that can be seen. */
export function coloured(text: string, tone: Tone | undefined, { hasColour }: Terminal): string {
  return hasColour && tone !== undefined && text !== ''
    ? `\u001b[${colours[tone]}m${text}\u001b[0m`
    : text;
}
