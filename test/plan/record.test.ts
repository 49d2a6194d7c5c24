/** A request for one record. */

import { expect, test } from 'vitest';
import { company } from '../../src/catalog/company.ts';
import { planRecord } from '../../src/plan/record.ts';

const recordOf = (id: string, fields?: string) =>
  planRecord(company, id, { values: { ...(fields !== undefined && { fields }) }, continuations: [] });

test('by its id, with all fields or some', () => {
  expect(recordOf('12')).toEqual({ resource: company, fields: company.fields, id: 12 });
  expect(recordOf('9007199254740991', 'name')).toMatchObject({
    fields: [{ name: 'name' }],
    id: Number.MAX_SAFE_INTEGER,
  });
});

test.each(['0', '01', '-1', '1.0', '1e0', 'abc', '1a', 'a1', '9007199254740992', '99999999999999999999', ''])(
  'there is none with the id %j',
  (id) => {
    expect(recordOf(id)).toEqual({
      code: 'record_not_found',
      detail: `There is no company with the id '${id}'.`,
      context: { suggestion: 'GET /api/v1/resources/company lists the companies of this account.' },
    });
  },
);

test('a wrong field is reported first', () => {
  expect(recordOf('abc', 'nam')).toMatchObject({ code: 'unknown_field' });
});
