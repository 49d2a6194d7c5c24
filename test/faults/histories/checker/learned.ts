/** What cannot be known from the writes alone, and has to be the same for all readers. */

import type { RecordValues } from '../../../support/fixture.ts';
import { matches, sorted } from '../../../support/oracle.ts';
import { parsedFilter } from '../../../support/parsed-filter.ts';
import type { Cursor } from './feed.ts';
import { DATES, type Model, type Version } from './model.ts';
import { unequal, type Wrong } from './wrong.ts';

export class Learned {
  /** The dates of a record at a revision. */
  readonly #dates = new Map<string, string>();
  /** Where the cursors lead that the service has issued. */
  readonly cursors = new Map<string, Cursor>();
  /** Whether records match a filter. */
  readonly #matching = new Map<string, WeakMap<RecordValues, boolean>>();

  /** What is wrong with a record; undefined if it is right. */
  differs(record: unknown, id: number, version: Version, model: Model, fields?: readonly string[]): Wrong | undefined {
    const got: RecordValues = Object(record);
    const names = fields ?? model.resource.fields.map(({ name }) => name);
    const values = Object.fromEntries(
      names.map((name) => [name, DATES.includes(name) ? got[name] : version.values[name]]),
    );
    const what = `${model.resource.name} ${id}, as revision ${version.revision} wrote it,`;
    const wrong = unequal(what, values, got, [id]);
    if (wrong !== undefined) return wrong;
    if (!DATES.every((name) => names.includes(name))) return undefined;
    const dates = JSON.stringify(DATES.map((name) => got[name]));
    const place = `${model.resource.name} ${id} ${version.revision}`;
    const known = this.#dates.get(place) ?? dates;
    this.#dates.set(place, known);
    return unequal(`the dates of ${what}`, known, dates, [id]);
  }

  /** The records that match a filter, in the order of a list. */
  selected(model: Model, text: string | undefined, sort: readonly string[]): readonly RecordValues[] {
    const known = this.#matching.get(text ?? '') ?? new WeakMap<RecordValues, boolean>();
    this.#matching.set(text ?? '', known);
    const filter = text === undefined ? undefined : parsedFilter(text);
    const isMatch = (record: RecordValues) => {
      const is = known.get(record) ?? (filter === undefined || matches(filter, record, model.resource));
      known.set(record, is);
      return is;
    };
    const found = [...model.records.values()].map(({ values }) => values).filter(isMatch);
    return sort.length > 0
      ? sorted(found, sort, model.resource)
      : found.toSorted((a, b) => Number(a['id']) - Number(b['id']));
  }

  /** The record with its dates, if a reader has seen them. */
  dated(values: RecordValues, model: Model): RecordValues | undefined {
    const id = Number(values['id']);
    const dates = this.#dates.get(`${model.resource.name} ${id} ${model.records.get(id)?.revision}`);
    if (dates === undefined) return undefined;
    const known: readonly RecordValues[string][] = JSON.parse(dates);
    return { ...values, ...Object.fromEntries(DATES.map((name, n) => [name, known[n] ?? null])) };
  }
}
