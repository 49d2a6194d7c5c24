/** What is typed into a field of a record, and what a change of it does to what the console has read. */

import { expect, test } from 'vitest';
import { Attempts } from '../../console/src/data/attempts.ts';
import { withoutRecord, withRecord } from '../../console/src/data/changed-page.ts';
import type { RecordValues } from '../../console/src/data/records.ts';
import { changedFields, isSetByPeople } from '../../console/src/record/editable-fields.ts';
import { draftOf, typedDraft } from '../../console/src/record/field-draft.ts';
import { questionAbout, readValue } from '../../console/src/record/read-value.ts';
import { builtInCatalog, findField } from '../../src/catalog/catalog.ts';
import { product } from '../../src/catalog/product.ts';
import { type Field, nullable } from '../../src/catalog/resource.ts';
import { valueTypes } from '../../src/catalog/value-types.ts';

function fieldOf(name: string): Field {
  const field = findField(product, name);
  if (field === undefined) throw new Error(`product has no ${name}`);
  return field;
}

test('the id and the dates of a record are not for people', () => {
  for (const { fields } of builtInCatalog.resources)
    expect(fields.filter((field) => !isSetByPeople(field)).map(({ name }) => name)).toEqual([
      'id',
      'create_date',
      'write_date',
    ]);
});

test.each(Object.keys(valueTypes).filter((type) => Object.hasOwn(valueTypes, type)))(
  'whatever a record has is read back as it is: %s',
  (name) => {
    const type = Object.values(product.fields).find((field) => field.type === name)?.type;
    if (type === undefined) throw new Error(`no product has a ${name}`);
    const field = nullable('anything', 'Anything', type, 'anything');
    for (const value of valueTypes[type].examples) {
      const draft = draftOf(field, value);
      expect(draft === null ? null : readValue(field, draft), `${draft}`).toBe(value);
    }
    expect(draftOf(field, null)).toBe(null);
  },
);

test('an empty input is null if the field is nullable', () => {
  expect(typedDraft(fieldOf('default_code'), '')).toBe(null);
  expect(typedDraft(fieldOf('default_code'), ' ')).toBe(' ');
  expect(typedDraft(fieldOf('name'), '')).toBe('');
});

test('text is never asked about', () => {
  expect(questionAbout(fieldOf('name'), '1,500')).toBe(undefined);
  expect(questionAbout(fieldOf('list_price'), '1,500')).toBe(undefined);
});

const chair: RecordValues = { id: 1, name: 'Chair', list_price: 5, write_date: '2026-01-01T00:00:00.000Z' };

test('what somebody else has changed is named, without what every change sets', () => {
  const after = { ...chair, list_price: 6, write_date: '2026-01-02T00:00:00.000Z' };
  expect(changedFields(product, { data: chair, etag: '"1"' }, { data: after, etag: '"2"' })).toEqual(['list_price']);
});

const pageOf = (...data: readonly RecordValues[]) => ({ data, meta: { count: data.length, total: 9 }, etag: '"list"' });

test('a record that was saved is in its page, with the columns of the page', () => {
  const page = pageOf({ id: 1, name: 'Chair' }, { id: 2, name: 'Desk' });
  expect(withRecord(page, { ...chair, name: 'Armchair', list_price: 9 })).toEqual(
    pageOf({ id: 1, name: 'Armchair' }, { id: 2, name: 'Desk' }),
  );
  expect(withRecord(page, { ...chair, id: 3 })).toEqual(page);
});

test('a record that was removed is neither in its page nor counted', () => {
  const page = pageOf({ id: 1, name: 'Chair' }, { id: 2, name: 'Desk' });
  expect(withoutRecord(page, 1)).toEqual({ ...pageOf({ id: 2, name: 'Desk' }), meta: { count: 1, total: 8 } });
  expect(withoutRecord(page, 3)).toEqual(page);
});

test('attempts share a key until something else is written', () => {
  const attempts = new Attempts();
  const key = attempts.keyFor('a');
  expect([attempts.keyFor('a'), attempts.isLatest('a'), attempts.isLatest('b')]).toEqual([key, true, false]);
  expect(attempts.keyFor('b')).not.toBe(key);
  const again = attempts.keyFor('b');
  attempts.end();
  expect([attempts.isLatest('b'), attempts.keyFor('b') === again]).toEqual([false, false]);
});
