/** A request for an aggregate to its plan. */

import { findField } from '../catalog/catalog.ts';
import { type Field, id, type Resource } from '../catalog/resource.ts';
import { isNumeric, MAX_TEXT_LENGTH, valueTypes } from '../catalog/value-types.ts';
import type { Filter } from '../filter/ast.ts';
import { nearest } from '../problem/nearest.ts';
import { Problem } from '../problem/problem.ts';
import { quoted } from '../problem/quoted.ts';
import type { Query } from '../request/parameters.ts';
import { unknownField } from './fields.ts';
import { comparison, excessOf, groupFilter } from './group-filter.ts';
import { planMatching } from './matching.ts';
import { DEFAULT_LIMIT, planLimit } from './page.ts';
import type { AggregatePlan, Facet, FieldMeasure, GroupBy, GroupOrder, Measure, Operand, Period } from './plan.ts';

/** The maximum number of measures and facets of one request. */
export const MAX_MEASURES = 10;
export const MAX_FACETS = 10;

/** The maximum number of ranges of a facet. */
const MAX_RANGES = 1_000;

/** The maximum number of groups of a facet. */
export const MAX_GROUPS = 100_000;

const FIELD_MEASURES: readonly FieldMeasure[] = ['sum', 'avg', 'min', 'max'];
const PERIODS: readonly Period[] = ['day', 'week', 'month', 'year'];

export function planAggregate(resource: Resource, query: Query): AggregatePlan | Problem {
  const { values } = query;
  const matching = planMatching(resource, query);
  if (matching instanceof Problem) return matching;
  const measures = planNames(values.measures ?? 'count', MAX_MEASURES, 'measures', measureName, (text, fix) =>
    planMeasure(resource, text, fix),
  );
  if (measures instanceof Problem) return measures;
  const facets = planNames(values.facets, MAX_FACETS, 'facets', facetName, (text, fix) =>
    planFacet(resource, text, fix),
  );
  if (facets instanceof Problem) return facets;
  const tooLong = facets.length === 0 ? undefined : checkGroupFilters(resource, matching.filter);
  if (tooLong !== undefined) return tooLong;
  const order = planOrder(values.sort ?? 'count', measures);
  if (order instanceof Problem) return order;
  const limit = values.limit === undefined ? DEFAULT_LIMIT : planLimit(values.limit);
  return limit instanceof Problem ? limit : { resource, ...matching, measures, facets, limit, order };
}

/** Groups extend the filter by up to two conditions. The result has to be a filter that clients can send. */
function checkGroupFilters(resource: Resource, filter: Filter | undefined): Problem | undefined {
  const longest = comparison(id.name, '=', '\u{10ffff}'.repeat(MAX_TEXT_LENGTH));
  const excess = excessOf(groupFilter(filter, [longest, longest]));
  if (excess === undefined) return undefined;
  return new Problem('invalid_facets', `The filter leaves no room for the conditions of a group: ${excess}`, {
    parameter: 'filter',
    suggestion: `Shorten the filter, or request the measures of ${resource.plural} without facets.`,
  });
}

/** As it is written in a request. */
export function measureName(measure: Measure): string {
  return measure.kind === 'count' ? 'count' : `${measure.kind}(${operandName(measure.of)})`;
}

function operandName(operand: Operand): string {
  return operand.map(({ name }) => name).join('*');
}

/** As it is written in a request. */
export function facetName({ field, by }: Facet): string {
  switch (by.kind) {
    case 'value':
      return field.name;
    case 'ranges':
      return `${field.name}:${by.count}`;
    case 'period':
      return `${field.name}:${by.period}${by.zone === undefined ? '' : `@${by.zone}`}`;
  }
}

/** Returns the whole parameter with another word in place of the one that is wrong. */
type Fix = (word: string) => string;

/** The comma-separated items of a parameter, each once. */
function planNames<Item>(
  text: string | undefined,
  max: number,
  parameter: 'measures' | 'facets',
  nameOf: (item: Item) => string,
  plan: (word: string, fix: Fix) => Item | Problem,
): readonly Item[] | Problem {
  const words = text === undefined ? [] : text.split(',', max + 1).map((word) => word.trim());
  if (words.length > max)
    return new Problem(`invalid_${parameter}`, `There are more than ${max} ${parameter}, which is the limit.`, {
      parameter,
    });
  const items = new Map<string, Item>();
  for (const [index, word] of words.entries()) {
    const item = plan(word, (meant) => words.with(index, meant).join(','));
    if (item instanceof Problem) return item;
    items.set(nameOf(item), item);
  }
  return [...items.values()];
}

function planMeasure(resource: Resource, word: string, fix: Fix): Measure | Problem {
  if (word === 'count') return { kind: 'count' };
  const [name = '', rest = ''] = word.split('(', 2).map((part) => part.trim());
  const text = rest.endsWith(')') ? rest.slice(0, -1).trim() : '';
  const kind = FIELD_MEASURES.find((measure) => measure === name);
  if (kind === undefined || !word.endsWith(')')) return unknownMeasure(word, name, text, fix);
  const of = planOperand(resource, text, (meant) => fix(`${kind}(${meant})`));
  if (of instanceof Problem) return of;
  const isPossible = (field: Field) => (of.length === 2 ? isNumeric(field) : isMeasurable(kind, field));
  const wrong = of.find((field) => !isPossible(field));
  if (wrong === undefined) return { kind, of };
  const possible = resource.fields.filter(isPossible).map(({ name }) => name);
  const subject = of.length === 2 ? 'A product' : kind;
  return new Problem('invalid_measures', `${subject} is not possible on ${wrong.name}, which holds ${holds(wrong)}.`, {
    parameter: 'measures',
    suggestion: `${subject} is possible on ${possible.join(', ')}.`,
  });
}

function planOperand(resource: Resource, text: string, fix: Fix): Operand | Problem {
  const names = text.split('*', 3).map((name) => name.trim());
  const fields: Field[] = [];
  for (const [index, name] of names.entries()) {
    const field = findField(resource, name);
    if (field === undefined)
      return unknownField(resource, 'measures', name, (meant) => fix(names.with(index, meant).join('*')));
    fields.push(field);
  }
  const [first, second, ...others] = fields;
  if (first === undefined || others.length > 0)
    return new Problem('invalid_measures', `${quoted(text)} has more than two factors, which is the limit.`, {
      parameter: 'measures',
      suggestion: 'A measure is of a field, or of the product of two: sum(list_price*qty_available).',
    });
  return second === undefined ? [first] : [first, second];
}

function unknownMeasure(word: string, name: string, operand: string, fix: Fix): Problem {
  const meant = nearest(name, operand === '' || name === 'count' ? ['count'] : FIELD_MEASURES);
  const fixed = meant === undefined || meant === 'count' ? meant : `${meant}(${operand})`;
  return new Problem(
    'invalid_measures',
    word === '' ? 'measures has an empty item.' : `There is no measure ${quoted(word)}.`,
    {
      parameter: 'measures',
      suggestion:
        fixed === undefined
          ? `The measures are count, and ${FIELD_MEASURES.map((measure) => `${measure}(FIELD)`).join(', ')}; also of products: sum(FIELD*FIELD).`
          : `Did you mean ${fixed}?`,
      ...(fixed !== undefined && { fixed: { measures: fix(fixed) } }),
    },
  );
}

/** What can be added has a magnitude, and what has a least value has an order. */
function isMeasurable(kind: FieldMeasure, field: Field): boolean {
  const { storage, operatorClass } = valueTypes[field.type];
  return kind === 'sum' || kind === 'avg' ? isNumeric(field) : operatorClass === 'order' || storage === 'boolean';
}

/** One of them. */
export function planFacet(resource: Resource, word: string, fix: Fix): Facet | Problem {
  const [name = '', ...rest] = word.split(':').map((part) => part.trim());
  const detail = rest.length === 0 ? undefined : rest.join(':');
  const field = findField(resource, name);
  if (field === undefined) return unknownField(resource, 'facets', name, (meant) => fix([meant, ...rest].join(':')));
  const by = planGroupBy(field, detail);
  return by instanceof Problem ? by : { field, by };
}

function planGroupBy(field: Field, detail: string | undefined): GroupBy | Problem {
  if (detail === undefined) return { kind: 'value' };
  if (isNumeric(field)) {
    const count = /^[0-9]+$/.test(detail) ? Number(detail) : 0;
    if (count >= 1 && count <= MAX_RANGES) return { kind: 'ranges', count };
    return invalidFacet(field, detail, `Give a number of ranges from 1 to ${MAX_RANGES}: ${field.name}:20.`);
  }
  if (valueTypes[field.type].storage === 'timestamp') {
    const [name, zone] = detail.split('@', 2);
    const period = PERIODS.find((candidate) => candidate === name);
    if (zone !== undefined && !isTimeZone(zone))
      return invalidFacet(
        field,
        detail,
        `Time zones have names such as Europe/Berlin: ${field.name}:month@Europe/Berlin.`,
      );
    if (period !== undefined) return { kind: 'period', period, ...(zone !== undefined && { zone }) };
    return invalidFacet(field, detail, `The periods are ${PERIODS.join(', ')}: ${field.name}:month.`);
  }
  return invalidFacet(field, detail, `${field.name} holds ${holds(field)}, which are grouped by value: ${field.name}.`);
}

/** The longest name has 32 characters. */
const TIME_ZONE = /^[A-Za-z][\w+/-]{0,49}$/;

/** By the database of time zones that the JavaScript engine has. */
function isTimeZone(name: string): boolean {
  if (!TIME_ZONE.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }) !== undefined;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function invalidFacet(field: Field, detail: string, suggestion: string): Problem {
  return new Problem('invalid_facets', `${field.name} cannot be grouped by ${quoted(detail)}.`, {
    parameter: 'facets',
    suggestion,
  });
}

function planOrder(text: string, measures: readonly Measure[]): GroupOrder | Problem {
  if (text === 'value') return text;
  if (text === 'count') return { kind: 'count' };
  const others = measures.map(measureName).filter((name) => name !== 'count');
  return (
    measures.find((measure) => measureName(measure) === text) ??
    new Problem('invalid_sort', `Groups cannot be sorted by ${quoted(text)}.`, {
      parameter: 'sort',
      suggestion: `Use sort=count or one of the measures that are requested${others.length > 0 ? `, such as ${others[0]},` : ''} for the largest first, or sort=value for the order of values.`,
    })
  );
}

function holds({ type }: Field): string {
  return valueTypes[type].plural;
}
