import { shown } from '../contract/shown-text.ts';

/** Columns of equal width, two spaces apart; cells hold plain text. `paint` colours a whole cell after it was padded. */
export function table(
  head: string[],
  rows: string[][],
  paint: (cell: string, row: number, column: number) => string = (cell) => cell,
): string {
  const cells = rows.map((row) => row.map((cell) => shown(cell)));
  const widths = head.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: string[], index: number) =>
    row
      .map((cell, column) =>
        paint(column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0), index, column),
      )
      .join('  ')
      .trimEnd();
  return [line(head, -1), ...cells.map(line)].join('\n');
}
