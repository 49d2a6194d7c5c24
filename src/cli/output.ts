/**
 * What commands print: results on stdout, everything else on stderr. Names and messages may come from a database, a file or a
 * service that somebody else controls, so nothing but visible text is printed, and a text is always one line.
 */

import { visibleText } from '../problem/visible-text.ts';

export function printResult(...lines: readonly string[]): void {
  process.stdout.write(linesText(lines));
}

export function printNote(...lines: readonly string[]): void {
  process.stderr.write(linesText(lines));
}

/** For people only: a program that reads stderr does not get it. */
export function printHint(text: string): void {
  if (process.stderr.isTTY) printNote(text);
}

/** An object per line. */
export function printJsonLines(objects: readonly object[]): void {
  printResult(...objects.map((object) => JSON.stringify(object)));
}

function linesText(lines: readonly string[]): string {
  return lines.map((line) => `${visibleText(line)}\n`).join('');
}

export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  process.stdout.write(new Table(header).text(rows));
}

/** A table whose text may be needed in parts. Columns are as wide as their longest cell so far. */
export class Table {
  #widths: readonly number[] = [];
  #header: readonly (readonly string[])[];

  constructor(header: readonly string[]) {
    this.#header = [header];
  }

  /** Lines, after those that it has returned before. */
  text(rows: readonly (readonly string[])[]): string {
    const lines = [...this.#header, ...rows].map((line) => line.map(visibleText));
    this.#header = [];
    this.#widths = (lines[0] ?? []).map((_, column) =>
      Math.max(this.#widths[column] ?? 0, ...lines.map((line) => line[column]?.length ?? 0)),
    );
    return lines
      .map((line) => line.map((cell, column) => cell.padEnd(this.#widths[column] ?? 0)).join('  '))
      .map((line) => `${line.trimEnd()}\n`)
      .join('');
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
