/** Which field each column of a file sets: by its name or label, however it is spelled, by the map, or by what is known of Odoo's exports. */

import { findField } from '../catalog/catalog.ts';
import { memoize } from '../catalog/memoize.ts';
import { type Field, fieldNames, id, type Resource } from '../catalog/resource.ts';
import { columnHeading } from '../catalog/sheet.ts';
import { lettersOf } from '../catalog/spelling.ts';
import { nearest } from '../problem/nearest.ts';
import { quoted, truncated } from '../problem/quoted.ts';
import type { RowError } from '../store/store.ts';
import type { ColumnMap } from './decisions.ts';
import { UnreadableFile } from './format.ts';
import { isOdooColumn, isOfOthers, odooColumn } from './odoo.ts';
import type { ImportWords } from './words.ts';

export interface ColumnRules {
  readonly resource: Resource;
  readonly key: Field;
  readonly columns: ColumnMap;
  readonly ignoreUnknown?: boolean | undefined;
  readonly words: ImportWords;
}

/** A column that no resource has: `true` means that the record is removed, as in the change feed. */
export const REMOVED = 'removed';

export interface Columns {
  readonly names: readonly string[];
  readonly targets: readonly Target[];
  /** The places of those whose cells matter. Ignored ones may be many more. */
  readonly read: readonly number[];
  /** Whether some have cells of other records. */
  readonly hasOthers: boolean;
  readonly errors: readonly ColumnError[];
  /** The columns that are neither fields nor ignored. */
  readonly unknown: readonly string[];
}

export interface Target {
  /** Undefined if the column is ignored. */
  readonly field: Field | typeof REMOVED | undefined;
  /** Why it is ignored. */
  readonly reason?: string;
  /** Whether its cells are those of other records. */
  readonly isOfOthers?: boolean;
  /** Whether it has no name, so that its cells must be empty. */
  readonly isUnnamed?: boolean;
}

export type ColumnError = Omit<RowError, 'line'>;

/** How many unknown columns an error lists, with what maps them. */
const MAX_LISTED = 50;

/** How many names of columns are remembered, for suggestions. */
const MAX_SEEN = 1_000;

export class ColumnMatcher {
  readonly #rules: ColumnRules;
  /** Some cells of each column of an export of Odoo. */
  readonly #odoo: readonly (readonly string[])[] | undefined;
  readonly #seen = new Set<string>();
  /** Rows usually have the same columns as the row before, which are matched once. */
  #last: Columns | undefined;
  /** The names of its columns as they are in the file. */
  #lastNames: readonly string[] = [];

  constructor(rules: ColumnRules, odoo?: readonly (readonly string[])[]) {
    this.#rules = rules;
    this.#odoo = odoo;
  }

  /** Spaces around a name do not matter, as in a map. */
  match(written: readonly string[]): Columns {
    if (this.#last !== undefined && areEqual(this.#lastNames, written)) return this.#last;
    const names = written.map((name) => name.trim());
    const errors: ColumnError[] = [];
    const unknown: string[] = [];
    const targets = names.map((name, index) => {
      const target = this.#target(name, index);
      if (target !== undefined) return target;
      unknown.push(name);
      return { field: undefined };
    });
    const set = new Set<Target['field']>();
    targets.forEach(({ field }, index) => {
      if (field === undefined) return;
      const name = names[index] ?? '';
      if (set.has(field)) errors.push({ column: truncated(name), reason: 'duplicate column' });
      else if (field === id && this.#rules.key !== id) errors.push(this.#uselessId(name));
      set.add(field);
    });
    const read = targets.flatMap(({ field, isUnnamed }, index) => (field !== undefined || isUnnamed ? [index] : []));
    this.#lastNames = written;
    this.#last = { names, targets, read, hasOthers: targets.some(({ isOfOthers }) => isOfOthers), errors, unknown };
    return this.#last;
  }

  /** One for all of them. Similar names are looked for if there is time for it. */
  unknownColumns(names: readonly string[], { targets }: Columns, isHelpful: boolean): ColumnError {
    const [only, second] = names;
    if (only !== undefined && second === undefined && isHelpful) return unknownColumn(this.#rules, only);
    const { resource, words } = this.#rules;
    const taken = new Set(
      targets.flatMap(({ field }) => (field === undefined || field === REMOVED ? [] : [field.name])),
    );
    const listed = names.slice(0, MAX_LISTED);
    const pairs = listed.map((name) => {
      const meant = isHelpful ? nearest(name, fieldNames(resource)) : undefined;
      const field = meant === undefined || taken.has(meant) ? '' : meant;
      taken.add(field);
      return [name, field] as const;
    });
    const others = names.length - listed.length;
    const all = `ignore all of them with ${words.ignoreUnknown}`;
    const isShort = pairs.every(([name]) => name.length <= MAX_SPELLED);
    return {
      column: [...listed.map((name) => truncated(name)), ...(others > 0 ? [`${others} more`] : [])].join(', '),
      reason: `${resource.name} has no such fields`,
      suggestion: isShort
        ? `Rename or ignore them with ${words.mappedAll(pairs)}, or ${all}`
        : `${all.charAt(0).toUpperCase()}${all.slice(1)}`,
    };
  }

  /** Every column that the map names must exist. */
  checkMap(): void {
    const { columns, words } = this.#rules;
    const missing = [...columns.keys()].filter((name) => !this.#seen.has(name));
    const [first] = missing;
    if (first === undefined) return;
    const named = missing.length === 1 ? `the column ${quoted(first)}, which does` : `columns which do`;
    const list = missing.length === 1 ? '' : `: ${missing.map((name) => quoted(name)).join(', ')}`;
    const meant = nearest(first, [...this.#seen]);
    const help = missing.length > 1 || meant === undefined ? '' : ` Did you mean ${truncated(meant)}?`;
    throw new UnreadableFile(`${words.option('map')} names ${named} not exist${list}.${help}`);
  }

  /** Undefined if the column is unknown. */
  #target(name: string, index: number): Target | undefined {
    if (name === '') return { field: undefined, reason: 'no name', isUnnamed: true };
    const { columns, resource, ignoreUnknown } = this.#rules;
    if (columns.has(name) || this.#seen.size < MAX_SEEN) this.#seen.add(name);
    const others = this.#odoo !== undefined && isOfOthers(name) ? { isOfOthers: true } : {};
    if (columns.has(name)) {
      const field = columns.get(name);
      return { field, ...(field === undefined && { reason: 'ignored' }), ...others };
    }
    const known = this.#odoo && odooColumn(resource, name, this.#odoo[index] ?? []);
    if (known !== undefined) return 'field' in known ? known : { field: undefined, reason: known.ignored, ...others };
    const field = findField(resource, name) ?? (name === REMOVED ? REMOVED : bySpelling(resource, name));
    if (field !== undefined) return { field };
    return ignoreUnknown ? { field, reason: 'unknown' } : undefined;
  }

  #uselessId(name: string): ColumnError {
    const { key, words } = this.#rules;
    return {
      column: truncated(name),
      reason: `records are identified by ${key.name}`,
      ...(name.length <= MAX_SPELLED && { suggestion: `Ignore this column with ${words.mapped(name, '')}` }),
    };
  }
}

function areEqual(names: readonly string[], others: readonly string[]): boolean {
  return names === others || (names.length === others.length && names.every((name, index) => name === others[index]));
}

/** Whether a column of this name would set a field, or be ignored. */
export function isKnown(name: string, resource: Resource, columns: ColumnMap): boolean {
  return columns.has(name) || bySpelling(resource, name) !== undefined || isOdooColumn(resource, name);
}

/** `Sales price`, `E-Mail`, `LIST PRICE` and `ListPrice` are labels and names of fields as people spell them, and `Created (UTC)` is what an export calls one. */
function bySpelling(resource: Resource, column: string): Field | undefined {
  return column.length > MAX_SPELLED ? undefined : spellings(resource).get(lettersOf(column));
}

/** The fields by the letters of their names, and of their labels and headings unless these are names of others. */
const spellings = memoize(({ fields }: Resource): ReadonlyMap<string, Field> => {
  const named = fields.map((field) => [field.name, field] as const);
  const labelled = fields.flatMap((field) => [[field.label, field] as const, [columnHeading(field), field] as const]);
  // The first of several with the same letters, as in a search from the beginning.
  return new Map([...named, ...labelled].map(([name, field]) => [lettersOf(name), field] as const).toReversed());
});

/** The longest name that is a spelling of another, or that a suggestion has, in UTF-16 units. */
const MAX_SPELLED = 100;

function unknownColumn({ resource, words }: ColumnRules, name: string): ColumnError {
  const names = fieldNames(resource);
  const meant = nearest(name, names);
  const help = meant === undefined ? `Its fields are ${names.join(', ')}` : `Did you mean ${meant}?`;
  const all = `all of them with ${words.ignoreUnknown}`;
  const mapped = `rename it with ${words.mapped(name, 'FIELD')}, ignore it with ${words.mapped(name, '')}, or ${all}`;
  return {
    column: truncated(name),
    reason: `${resource.name} has no such field`,
    suggestion: `${help} (${name.length <= MAX_SPELLED ? mapped : `ignore ${all}`})`,
  };
}
