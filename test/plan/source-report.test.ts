/** The body of a report about a source. */

import { expect, test } from 'vitest';
import { planReport } from '../../src/plan/source-report.ts';

const suggestion =
  'Send {"error":null} if everything has been imported, or an object such as {"error":"The ERP is down."}.';

test('an error, or none', () => {
  expect(planReport({ error: null })).toBeNull();
  expect(planReport({ error: 'The ERP is down.' })).toBe('The ERP is down.');
  expect(planReport({ error: '😀'.repeat(1_000) })).toBe('😀'.repeat(1_000));
});

test.each<[body: unknown, parameter: string | undefined, detail: string]>([
  [null, undefined, 'The body is not a JSON object.'],
  [[], undefined, 'The body is not a JSON object.'],
  ['The ERP is down.', undefined, 'The body is not a JSON object.'],
  [{}, 'error', 'error is missing.'],
  [{ error: null, position: '2' }, 'position', 'A report has no member other than error.'],
  [{ error: null, ['x'.repeat(70)]: 1 }, `${'x'.repeat(60)}…`, 'A report has no member other than error.'],
  [{ error: 7 }, 'error', 'error must be a string or null.'],
  [{ error: ' \n' }, 'error', 'error must not be blank.'],
  [{ error: 'a\0' }, 'error', 'error must not contain NUL characters.'],
  [{ error: '\ud800' }, 'error', 'error must be well-formed Unicode, without lone surrogates.'],
  [{ error: '😀'.repeat(1_001) }, 'error', 'error must have at most 1000 characters.'],
])('%j is an error', (body, parameter, detail) => {
  expect(planReport(body)).toEqual({
    code: 'invalid_body',
    detail,
    context: { ...(parameter !== undefined && { parameter }), suggestion },
  });
});
