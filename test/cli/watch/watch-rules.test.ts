/** Which files are loaded into which resource. */

import { describe, expect, test } from 'vitest';
import { builtInCatalog } from '../../../src/catalog/catalog.ts';
import { catalogWith } from '../../../src/catalog/own-field.ts';
import { byResourceName, InvalidRules, parseRules } from '../../../src/cli/watch/watch-rules.ts';

const noFile = () => {
  throw new Error('there is no mapping');
};

test.each([
  ['product.csv', 'product csv'],
  ['products-2026.ndjson.gz', 'product ndjson'],
  ['PARTNER 7.JSONL', 'partner ndjson'],
  ['company.json.zst', 'company json'],
  ['companies.csv', 'company csv'],
  ['product.pdf', undefined],
  ['product', undefined],
  ['my-products.csv', undefined],
  ['watch.json', undefined],
])('%s is %s without rules', (name, expected) => {
  const matched = byResourceName(name);
  expect(typeof matched === 'object' ? `${matched.resource.name} ${matched.format.name}` : matched).toBe(expected);
});

describe('watch.json', () => {
  test('may name fields of operators', () => {
    const own = { name: 'x_ean', label: 'EAN', type: 'text', meaning: 'barcode', initial: null } as const;
    const catalog = catalogWith(builtInCatalog, 1, new Map([['product', [own]]]));
    const text = JSON.stringify({ files: [{ pattern: '*.csv', resource: 'product', key: 'x_ean' }] });
    expect(parseRules(text, builtInCatalog, noFile)).toBeInstanceOf(InvalidRules);
    expect(parseRules(text, catalog, noFile)).toBeTypeOf('function');
  });

  test('the first pattern counts', () => {
    const rules = parseRules(
      JSON.stringify({
        files: [
          { pattern: 'a(1)?.c?v', resource: 'partner' },
          {
            pattern: 'A*',
            resource: 'product',
            format: 'ndjson',
            key: 'default_code',
            map: { 'Sales: Price': 'list_price' },
          },
          { pattern: '*.dat', resource: 'company' },
        ],
      }),
      builtInCatalog,
      noFile,
    );
    if (rules instanceof InvalidRules) throw new Error(rules.message);
    expect(rules('a(1)x.csv')).toMatchObject({
      resource: { name: 'partner' },
      format: { name: 'csv' },
      parameters: {},
    });
    expect(rules('a(1).csv')).toMatchObject({
      resource: { name: 'product' },
      format: { name: 'ndjson' },
      parameters: { key: 'default_code', map: ['Sales: Price=list_price'] },
    });
    expect(rules('x.dat')).toContain('Its format cannot be inferred from its extension. Add "format"');
    expect(rules('product.csv')).toBeUndefined();
  });

  test('a mapping says how files are read, and members of the entry come first', () => {
    const mapping = '{"resource":"product","key":"id","columns":{"Preis":"list_price"},"decimal":","}';
    const files = [
      { pattern: '*.csv', resource: 'product', mapping: 'm.json', key: 'default_code', map: { Ref: 'default_code' } },
    ];
    const rules = parseRules(JSON.stringify({ files }), builtInCatalog, (path) => (path === 'm.json' ? mapping : ''));
    if (rules instanceof InvalidRules) throw new Error(rules.message);
    expect(rules('a.csv')).toMatchObject({
      parameters: { key: 'default_code', decimal: ',', map: ['Preis=list_price', 'Ref=default_code'] },
    });
    const invalid = parseRules(JSON.stringify({ files }), builtInCatalog, () => '{"columns":1}');
    expect(invalid).toMatchObject({
      message: expect.stringContaining('the mapping m.json cannot be used: "columns" is not'),
    });
  });

  const entry = (more: object) => JSON.stringify({ files: [{ pattern: '*.csv', resource: 'product', ...more }] });

  test.each([
    ['{', 'watch.json cannot be used: it is not JSON'],
    ['[]', 'it must be an object with an array "files"'],
    ['{"files":[],"file":[]}', '"file" is unknown; its only member is "files".'],
    ['{"files":[1]}', 'entry 1 of "files": it must be an object.'],
    [entry({ patern: 1 }), '"patern" is unknown. Did you mean "pattern"?'],
    [entry({ pattern: 'sub/*.csv' }), '"pattern" must be a pattern of file names'],
    [entry({ resource: 'orders' }), '"resource" must be one of product, partner, company, not "orders".'],
    [entry({ format: 'pdf' }), '"format" must be one of "csv", "xlsx", "ndjson", "json"'],
    [
      entry({ key: 'defualt_code' }),
      '"key" names a field that product does not have: \'defualt_code\'. Did you mean default_code?',
    ],
    [entry({ key: 'active' }), '"key" must be a field that holds text or integers; active is a boolean.'],
    [entry({ replace: 'yes' }), '"replace" must be true or false.'],
    [entry({ confirm: 1 }), '"confirm" must be true or false.'],
    [entry({ map: ['Price'] }), '"map" must be an object of columns and their fields'],
    [entry({ map: { Price: 'prize' } }), '"map" names a field that product does not have: \'prize\'.'],
  ])('%s is refused: %s', (text, message) => {
    expect(parseRules(text, builtInCatalog, noFile)).toEqual(new InvalidRules(expect.stringContaining(message)));
  });
});
