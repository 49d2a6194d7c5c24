/** What a filter selects of the field of a chart, and how charts change it. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Chart } from '../../console/src/summary/charts.ts';
import { chartsOf } from '../../console/src/summary/charts.ts';
import { contextOf, rangeIn, selectRange, toggleValue, valuesIn } from '../../console/src/summary/selection.ts';
import { builtInCatalog } from '../../src/catalog/catalog.ts';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import type { Resource } from '../../src/catalog/resource.ts';
import { parseFilter } from '../../src/filter/parse.ts';
import { printFilter } from '../../src/filter/print.ts';
import { planFilter } from '../../src/plan/filter.ts';
import { Problem } from '../../src/problem/problem.ts';
import { fieldValue, filterOf } from '../support/arbitraries.ts';

function chartOf(resource: Resource, name: string): Chart {
  const chart = chartsOf(resource).find(({ field }) => field.name === name);
  if (chart === undefined) throw new Error(`there is no chart of ${name}`);
  return chart;
}

const price = chartOf(product, 'list_price');
const category = chartOf(product, 'categ_id');
const active = chartOf(product, 'active');
const created = chartOf(product, 'create_date');
const city = chartOf(partner, 'city');

test('amounts, times, flags and categories have charts, identifiers and names have none', () => {
  const names = (resource: Resource) => chartsOf(resource).map(({ field }) => field.name);
  const times = ['create_date', 'write_date'];
  expect(names(product)).toEqual([
    ...['list_price', 'qty_available', 'active', 'categ_id', 'is_rsd_product'],
    ...times,
  ]);
  expect(names(partner)).toEqual([
    ...['is_company', 'is_patient', 'active', 'is_customer', 'is_vendor', 'is_employee', 'city', 'country_code'],
    ...times,
  ]);
});

describe('ranges', () => {
  test.each([
    ['list_price>=10&list_price<20', { from: 10, to: 20 }],
    ['name*a & list_price>10', { from: 10, to: undefined }],
    ['list_price<=1e3', { from: undefined, to: 1_000 }],
    ['list_price=10', undefined],
    ['list_price>1&list_price>2', undefined],
    ['list_price>1|list_price<0', undefined],
    ['list_price>1|active=true', undefined],
    ['active=true', undefined],
    ['', undefined],
  ])('are found in %s', (filter, range) => {
    expect(rangeIn(filter, price.field)).toEqual(range);
  });

  test('take the place of what was selected before', () => {
    const filter = 'active=true&list_price>5&name*a';
    expect(selectRange(filter, price.field, 10, 20)).toBe('active=true&list_price>=10&list_price<20&name*a');
    expect(selectRange(filter, price.field, undefined, 20)).toBe('active=true&list_price<20&name*a');
    expect(selectRange(filter, price.field, undefined, undefined)).toBe('active=true&name*a');
    expect(contextOf(filter, price)).toBe('active=true&name*a');
    expect(contextOf(filter, active)).toBe('list_price>5&name*a');
    expect(contextOf('list_price=5', price)).toBe('list_price=5');
  });

  test('of days are written as dates', () => {
    const [from, to] = ['2025-03-01T00:00:00.000Z', '2025-04-01T00:00:00.000Z'];
    const filter = selectRange('', created.field, from, to);
    expect(filter).toBe('create_date>=2025-03-01&create_date<2025-04-01');
    expect(rangeIn(filter, created.field)).toEqual({ from: Date.parse(from), to: Date.parse(to) });
  });
});

describe('values', () => {
  test('are added and removed', () => {
    const steps = ['name*a'];
    for (const value of [3, 5, 3, 5]) steps.push(toggleValue(steps.at(-1) ?? '', category, value));
    expect(steps).toEqual(['name*a', 'name*a&categ_id=3', 'name*a&categ_id[3,5]', 'name*a&categ_id=5', 'name*a']);
  });

  test('of flags take the place of each other', () => {
    expect(toggleValue('active=true', active, false)).toBe('active=false');
    expect(toggleValue('active=false', active, false)).toBe('');
  });

  test('of other conditions are not shown as selected', () => {
    for (const filter of ['categ_id!=3', 'categ_id>3', 'categ_id=3&categ_id=4', 'categ_id=3|active=true', ''])
      expect(valuesIn(filter, category.field)).toBeUndefined();
    expect(valuesIn('categ_id[3,null]', category.field)).toEqual([3, null]);
  });

  test('can be any text', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fieldValue(city.field), { minLength: 1, maxLength: 4 }), (values) => {
        const filter = values.reduce((text: string, value) => toggleValue(text, city, value), 'active=true');
        expect(valuesIn(filter, city.field)).toEqual(values);
        expect(values.reduce((text: string, value) => toggleValue(text, city, value), filter)).toBe('active=true');
      }),
    );
  });
});

test('whatever the filter is, charts make valid ones of it', () => {
  const charts = builtInCatalog.resources.flatMap((resource) =>
    chartsOf(resource).map((chart) => ({ resource, chart })),
  );
  fc.assert(
    fc.property(
      fc
        .constantFrom(...charts)
        .chain(({ resource, chart }) =>
          fc.tuple(
            fc.constant({ resource, chart }),
            filterOf(resource, []).map(printFilter),
            fieldValue(chart.field),
            fieldValue(chart.field),
          ),
        ),
      ([{ resource, chart }, filter, one, other]) => {
        const isRange = chart.kind === 'ranges' || chart.kind === 'periods';
        const changed = isRange ? selectRange(filter, chart.field, one, other) : toggleValue(filter, chart, one);
        for (const text of [changed, contextOf(filter, chart)])
          if (text !== '') {
            expect(parseFilter(text)).not.toBeInstanceOf(Error);
            expect(planFilter(resource, text, [])).not.toBeInstanceOf(Problem);
          }
      },
    ),
  );
});
