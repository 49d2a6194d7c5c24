/** What commands print: results on stdout, everything else on stderr. */

export function printResult(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printNote(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Columns are as wide as their longest cell. */
export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of [header, ...rows]) {
    printResult(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}

/** `1,234 products`, `1 company` */
export function count(number: number, singular: string, plural: string): string {
  return `${withSeparators(number)} ${number === 1 ? singular : plural}`;
}

/** `1,234` */
export function withSeparators(number: number): string {
  return number.toLocaleString('en-US');
}
