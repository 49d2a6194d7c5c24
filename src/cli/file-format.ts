/** Files with rows, as commands read them: which format they have, and what is wrong with their rows. */

import type { ErrorGroup, RowError, RowErrors } from '../store/store.ts';
import { CommandError } from './command-error.ts';
import { count, withSeparators } from './output.ts';

interface NamedFormat {
  readonly name: string;
  readonly extensions: readonly string[];
}

/** By the name that `--format` has, or else by the extension of the file. */
export function chooseFormat<Format extends NamedFormat>(
  formats: readonly Format[],
  file: string,
  name: string | undefined,
): Format {
  const path = file.toLowerCase().replace(/\.(gz|zst)$/, '');
  const format = formats.find((known) =>
    name === undefined ? known.extensions.some((extension) => path.endsWith(extension)) : known.name === name,
  );
  if (format !== undefined) return format;
  const names = formats.map((known) => known.name);
  const source = file === '-' ? 'standard input' : `${file} cannot be inferred from its extension`;
  throw new CommandError(
    name === undefined
      ? `The format of ${source}${file === '-' ? ' is unknown' : ''}. Use --format ${names.join('|')}.`
      : `--format must be one of ${names.join(', ')}, not "${name}".`,
    2,
  );
}

/** `2 errors in the file:`, and then a line each, or one for all rows that have to be fixed alike. */
export function errorLines(errors: RowErrors, { unit }: { readonly unit: string }): readonly string[] {
  const groups = (errors.groups ?? errors.first.map(alone)).slice(0, MAX_LINES);
  const rest = errors.count - groups.reduce((sum, { rows }) => sum + rows, 0);
  const more = rest > 0 ? [`… and ${withSeparators(rest)} more`] : [];
  return [
    `${count(errors.count, 'error', 'errors')} in the file:`,
    ...groups.map((group) => groupLine(group, unit)),
    ...more,
  ];
}

/** How many lines of errors are printed. */
const MAX_LINES = 20;

function alone(error: RowError): ErrorGroup {
  return { error, rows: 1, lines: [error.line] };
}

function groupLine({ error, rows, lines }: ErrorGroup, unit: string): string {
  const { column, reason, suggestion, first } = error;
  const field = column === undefined ? '' : `, ${column}`;
  const fix = suggestion === undefined ? '' : `; ${suggestion.charAt(0).toLowerCase()}${suggestion.slice(1)}`;
  if (rows === 1)
    return `${unit} ${error.line}${field}: ${reason}${fix}${first === undefined ? '' : `, first in ${unit} ${first}`}`;
  const places = `${unit}s ${lines.join(', ')}${rows > lines.length ? ', …' : ''}`;
  return `${withSeparators(rows)} rows${field}: ${reason}${fix} (${places})`;
}
