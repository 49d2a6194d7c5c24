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

const UNITS = ['KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `512 bytes`, `1.2 MiB` */
export function byteCount(bytes: number): string {
  const power = Math.min(UNITS.length, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  const unit = UNITS[power - 1];
  return unit === undefined ? count(bytes, 'byte', 'bytes') : `${(bytes / 1024 ** power).toFixed(1)} ${unit}`;
}
