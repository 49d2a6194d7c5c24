/** The options that say how the rows of a file are read, as they are given: flags of a command, parameters of a request, members of a mapping. */

import { findField } from '../catalog/catalog.ts';
import { readMapEntry } from '../catalog/map-entry.ts';
import { canBeKey, type Field, fieldNames, id, type Resource } from '../catalog/resource.ts';
import { nearest } from '../problem/nearest.ts';
import { Problem } from '../problem/problem.ts';
import { quoted } from '../problem/quoted.ts';
import { datePattern, timezoneNamed } from './dates.ts';
import { type ColumnMap, DELIMITERS, type Decisions, type Delimiter, type GivenOptions } from './decisions.ts';
import { encodingNamed } from './encoding.ts';
import type { ImportWords, ReadingOption } from './words.ts';

/** The maximum number of columns that are renamed: no resource has as many fields. */
export const MAX_MAPPED = 250;

export interface ReadingOptions {
  readonly key: Field;
  /** As in the plan of a load. */
  readonly adds: boolean;
  readonly decisions: Decisions;
}

export function planReading(resource: Resource, given: GivenOptions, words: ImportWords): ReadingOptions | Problem {
  const key = given.key === undefined ? id : keyField(resource, given.key, words);
  if (key instanceof Problem) return key;
  const { add: adds = false } = given;
  if (adds && given.key !== undefined)
    return invalid(
      words,
      'add',
      `adds all rows, and ${words.option('key')} finds records that they change. Leave one of them out.`,
    );
  const columns = columnMap(resource, given.map ?? [], words);
  if (columns instanceof Problem) return columns;
  const { decimal, emptyText, sheet, ignoreUnknown, lenient } = given;
  if (decimal !== undefined && decimal !== '.' && decimal !== ',')
    return invalid(words, 'decimal', `must be "." or ",", not ${quoted(decimal)}.`);
  if (emptyText !== undefined && emptyText !== 'null' && emptyText !== 'keep')
    return invalid(words, 'emptyText', `must be null or keep, not ${quoted(emptyText)}.`);
  const { headerRow: rowText } = given;
  if (rowText !== undefined && !/^[1-9]\d{0,6}$/.test(rowText))
    return invalid(words, 'headerRow', `must be the number of a row, counted from 1, not ${quoted(rowText)}.`);
  const headerRow = rowText === undefined ? undefined : Number(rowText);
  const delimiter = delimiterNamed(given.delimiter);
  if (given.delimiter !== undefined && delimiter === undefined)
    return invalid(words, 'delimiter', `must be "," ";" "|" or tab, not ${quoted(given.delimiter)}.`);
  const dates = given.dates === undefined ? undefined : datePattern(given.dates);
  if (given.dates !== undefined && dates === undefined)
    return invalid(words, 'dates', `must be a pattern such as DD.MM.YYYY or MM/DD/YYYY, not ${quoted(given.dates)}.`);
  const timezone = given.timezone === undefined ? undefined : timezoneNamed(given.timezone);
  if (given.timezone !== undefined && timezone === undefined)
    return invalid(
      words,
      'timezone',
      `must be a time zone such as Europe/Berlin or UTC, not ${quoted(given.timezone)}.`,
    );
  const encoding = given.encoding === undefined ? undefined : encodingNamed(given.encoding);
  if (given.encoding !== undefined && encoding === undefined)
    return invalid(
      words,
      'encoding',
      `must be an encoding such as utf-8 or windows-1252, not ${quoted(given.encoding)}.`,
    );
  return {
    key,
    adds,
    decisions: {
      columns,
      ignoreUnknown,
      lenient,
      encoding,
      delimiter,
      sheet,
      headerRow,
      decimal,
      dates,
      timezone,
      emptyText,
    },
  };
}

export function delimiterNamed(text: string | undefined): Delimiter | undefined {
  return text === 'tab' ? '\t' : DELIMITERS.find((delimiter) => delimiter === text);
}

function keyField(resource: Resource, name: string, words: ImportWords): Field | Problem {
  const field = fieldNamed(resource, name, 'key', words);
  if (field instanceof Problem || canBeKey(field)) return field;
  return invalid(words, 'key', `must be a field that holds text or integers; ${name} is a ${field.type}.`);
}

function columnMap(resource: Resource, entries: readonly string[], words: ImportWords): ColumnMap | Problem {
  if (entries.length > MAX_MAPPED) return invalid(words, 'map', `appears more than ${MAX_MAPPED} times.`);
  const columns = new Map<string, Field | undefined>();
  for (const entry of entries) {
    const read = readMapEntry(entry);
    if (read === undefined)
      return invalid(
        words,
        'map',
        `must be COLUMN=FIELD or COLUMN:FIELD, such as Price=list_price, not ${quoted(entry)}.`,
      );
    const { column, field: name } = read;
    if (columns.has(column)) return invalid(words, 'map', `names the column ${quoted(column)} twice.`);
    const field = name === '' ? undefined : fieldNamed(resource, name, 'map', words);
    if (field instanceof Problem) return field;
    columns.set(column, field);
  }
  return columns;
}

function fieldNamed(resource: Resource, name: string, option: 'key' | 'map', words: ImportWords): Field | Problem {
  const field = findField(resource, name);
  if (field !== undefined) return field;
  const names = fieldNames(resource);
  const meant = nearest(name, names);
  const help = meant === undefined ? `Its fields are ${names.join(', ')}.` : `Did you mean ${meant}?`;
  return invalid(words, option, `names a field that ${resource.name} does not have: ${quoted(name)}.`, help);
}

/** `detail` follows the name of the option. */
function invalid(
  words: ImportWords,
  option: ReadingOption,
  detail: string,
  suggestion = words.hints?.invalid_import_option,
): Problem {
  const name = words.option(option);
  return new Problem('invalid_import_option', `${name} ${detail}`, {
    parameter: name,
    ...(suggestion !== undefined && { suggestion }),
  });
}
