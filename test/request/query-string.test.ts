import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Problem } from '../../src/problem/problem.ts';
import { IMPORT_PARAMETERS, LIST_PARAMETERS } from '../../src/request/parameters.ts';
import { decode, encode } from '../../src/request/percent-encoding.ts';
import { readQuery } from '../../src/request/query-string.ts';
import { text } from '../support/arbitraries.ts';

describe('parses', () => {
  test.each([
    ['', {}, []],
    ['&&', {}, []],
    ['page=2', { page: '2' }, []],
    ['page=', {}, []],
    ['filter=a=1', { filter: 'a=1' }, []],
    ['filter=a=1&b>2', { filter: 'a=1&b>2' }, [4]],
    ['filter=a=1&b>2&page=2&c<3', { filter: 'a=1&b>2&c<3', page: '2' }, [4, 8]],
    ['filter=a="x&&y"', { filter: 'a="x&&y"' }, [6]],
    ['filter=a=1&&page=2', { filter: 'a=1', page: '2' }, []],
    ['filter=a=1&', { filter: 'a=1' }, []],
    ['filter=a%3D1%26b%3D2', { filter: 'a=1&b=2' }, []],
    ['filter=a%253D1', { filter: 'a=1' }, []],
    ['filter=a%252A%2525', { filter: 'a*%' }, []],
    ['filter=100%2525', { filter: '100%25' }, []],
    ['filter=a=%253D', { filter: 'a=%3D' }, []],
    ['fields=id,+name', { fields: 'id, name' }, []],
  ])('%s', (query, values, continuations) => {
    expect(readQuery(query, LIST_PARAMETERS)).toMatchObject({ values, continuations, repeated: {} });
  });

  test.each([
    ['map=A:name&map=B:', { values: {}, repeated: { map: ['A:name', 'B:'] } }],
    ['map=', { values: {}, repeated: { map: [''] } }],
    ['source=erp&position=1&expect=', { values: { source: 'erp', position: '1' }, empty: new Set(['expect']) }],
    ['source=erp&position=1', { values: { source: 'erp', position: '1' }, empty: new Set() }],
  ])('%s of an import', (query, expected) => {
    expect(readQuery(query, IMPORT_PARAMETERS)).toMatchObject(expected);
  });
});

test('any text is a query or a problem; nothing is thrown', () => {
  const piece = fc.constantFrom(
    'filter',
    'page',
    '=',
    '&',
    '%',
    '%2',
    '%25',
    '%ff',
    '%00',
    '+',
    'a',
    '>',
    '"',
    '%3D',
    '%26',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(piece).map((pieces) => pieces.join('')),
        fc.string(),
      ),
      (query) => {
        const parsed = readQuery(query, LIST_PARAMETERS);
        expect(parsed).toBeOneOf([expect.any(Problem), expect.objectContaining({ values: expect.any(Object) })]);
      },
    ),
    { numRuns: 3_000 },
  );
});

test('decode(encode(text)) is the text, and the encoded text is safe in a URL, a quoted shell word and curl', () => {
  fc.assert(
    fc.property(text, (value) => {
      expect(decode(encode(value))).toBe(value);
      expect(encode(value)).toMatch(/^[\w.~'()*,:=/%-]*$/);
    }),
  );
});
