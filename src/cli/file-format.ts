/** Files with rows, as commands read them: which format they have, and what is wrong with their rows. */

import type { RowErrors } from '../store/store.ts';
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

/** `2 errors in the file:`, and then one line each. */
export function errorLines(errors: RowErrors, { unit }: { readonly unit: string }): readonly string[] {
  const lines = errors.first.map(({ line, column, reason, suggestion, first }) => {
    const place = `${unit} ${line}${column === undefined ? '' : `, ${column}`}`;
    const fix = suggestion === undefined ? '' : `; ${suggestion.charAt(0).toLowerCase()}${suggestion.slice(1)}`;
    return `${place}: ${reason}${fix}${first === undefined ? '' : `, first in ${unit} ${first}`}`;
  });
  const rest = errors.count - lines.length;
  const more = rest > 0 ? [`… and ${withSeparators(rest)} more`] : [];
  return [`${count(errors.count, 'error', 'errors')} in the file:`, ...lines, ...more];
}
