/** Columns as Helm lays them out: padded, with tabs between, cut at a width. */
export function printTable(rows: readonly (readonly string[])[], maxWidth: number): string {
  const cut = (cell: string): string =>
    cell.length > maxWidth ? `${cell.slice(0, Math.max(0, maxWidth - 3))}...` : cell;
  const cells = rows.map((row) => row.map(cut));
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  return cells
    .map((row) => `${row.map((cell, column) => cell.padEnd(widths[column]!)).join('\t')}\n`)
    .join('');
}
