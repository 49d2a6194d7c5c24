/** The parameters of an import. */

import { describe, expect, test } from 'vitest';
import { planImport } from '../../src/plan/import.ts';

/** As a request has them. An empty one counts as absent, except for `expect`. */
function planOf(values: Readonly<Record<string, string>>, empty: readonly 'expect'[] = []) {
  const query = { values, empty: new Set(empty), repeated: {}, continuations: [] };
  return planImport(query, (name, value) => (value === undefined ? name : `${name}=${value}`));
}

const DEFAULTS = {
  ...{ replace: false, isConfirmed: false, dryRun: false, add: false, ignoreUnknown: false, lenient: false },
  ...{ onRowError: 'stop', source: undefined },
};

test.each([
  [{}, {}],
  [{ replace: 'true' }, { replace: true }],
  [{ replace: 'false', on_error: 'skip' }, { onRowError: 'skip' }],
  [{ replace: 'true', on_error: 'stop' }, { replace: true }],
  [{ confirm: 'true' }, { isConfirmed: true }],
  [{ dry_run: 'true' }, { dryRun: true }],
  [{ add: 'true' }, { add: true }],
  [{ ignore_unknown: 'true' }, { ignoreUnknown: true }],
  [{ lenient: 'true' }, { lenient: true }],
  [{ source: 'erp', position: '7' }, { source: { name: 'erp', position: '7' } }],
  [{ source: 'erp', position: '7', expect: '6' }, { source: { name: 'erp', position: '7', expected: '6' } }],
])('%j', (values, expected) => {
  expect(planOf(values)).toStrictEqual({ ...DEFAULTS, ...expected });
});

test('an empty expect means that there must be no position yet', () => {
  expect(planOf({ source: 'erp', position: '7' }, ['expect'])).toMatchObject({ source: { expected: null } });
});

test.each(['replace', 'confirm', 'dry_run', 'add', 'ignore_unknown', 'lenient'])('%s is true or false', (parameter) => {
  for (const value of ['TRUE', '1', 'yes'])
    expect(planOf({ [parameter]: value })).toEqual({
      code: 'invalid_import_option',
      detail: `${parameter} must be true or false, not '${value}'.`,
      context: { parameter },
    });
});

describe('what does not go together', () => {
  test.each<[Readonly<Record<string, string>>, parameter: string, detail: string, suggestion: string | undefined]>([
    [{ on_error: 'ignore' }, 'on_error', "on_error must be stop or skip, not 'ignore'.", undefined],
    [
      { on_error: 'skip', replace: 'true' },
      'on_error',
      'With replace=true, the records of skipped rows would be removed.',
      'Leave on_error out, or replace.',
    ],
    [{ source: 'erp' }, 'position', "The source 'erp' has no position.", 'Add position=TEXT.'],
    [{ position: '7' }, 'source', 'A position belongs to a source.', 'Add source=NAME.'],
    [{ expect: '7' }, 'source', 'A position belongs to a source.', 'Add source=NAME.'],
  ])('%j', (values, parameter, detail, suggestion) => {
    expect(planOf(values)).toEqual({
      code: 'invalid_import_option',
      detail,
      context: { parameter, ...(suggestion !== undefined && { suggestion }) },
    });
  });

  test('an empty expect, and no source', () => {
    expect(planOf({}, ['expect'])).toMatchObject({ detail: 'A position belongs to a source.' });
  });
});

test('a source has up to 255 bytes, and a position up to 1,024', () => {
  const [name, position] = [`${'é'.repeat(127)}x`, 'é'.repeat(512)];
  expect(planOf({ source: name, position })).toMatchObject({ source: { name, position } });
  expect(planOf({ source: `${name}x`, position })).toEqual({
    code: 'invalid_import_option',
    detail: 'The name of the source has more than 255 bytes.',
    context: { parameter: 'source' },
  });
  expect(planOf({ source: name, position: `${position}x` })).toEqual({
    code: 'invalid_import_option',
    detail: 'The position has more than 1024 bytes.',
    context: { parameter: 'position' },
  });
});
