import type { CliContext } from './context.ts';

/** What a line may look like where it goes. */
export interface Terminal {
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
export type Tone = keyof typeof colours;

/** A cell of a table: its text, and how it is meant. */
export interface Cell {
  readonly text: string;
  readonly tone?: Tone;
}

const gap = 3;

/**
 * Columns below one another. On a terminal the last column takes what room is left, and ends in `…` where
 * that is too little; what is not whole on the screen is whole in a pipe.
 */
export function fittingTable(rows: readonly (readonly Cell[])[], terminal: Terminal): string {
  const last = (rows[0]?.length ?? 1) - 1;
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.text.length ?? 0)),
  );
  const before = widths.slice(0, last).reduce((sum, width) => sum + width + gap, 0);
  const room = terminal.width === undefined ? Infinity : Math.max(terminal.width - before, 10);
  return rows
    .map((row) =>
      row
        .map((cell, column) => {
          const text = column === last ? shortened(cell.text, room) : cell.text;
          const padding =
            column === last ? '' : ' '.repeat((widths[column] ?? 0) + gap - text.length);
          return `${coloured(text, cell.tone, terminal)}${padding}`;
        })
        .join('')
        .trimEnd(),
    )
    .join('\n');
}

function shortened(text: string, room: number): string {
  return text.length <= room ? text : `${text.slice(0, room - 1)}…`;
}

function coloured(text: string, tone: Tone | undefined, { hasColour }: Terminal): string {
  return hasColour && tone !== undefined && text !== ''
    ? `\u001b[${colours[tone]}m${text}\u001b[0m`
    : text;
}
