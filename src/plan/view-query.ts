/**
 * The query string of a saved view: what the console shows.
 *
 *     filter=qty_available<5&sort=qty_available&limit=50&panel=summary
 */

import type { Resource } from '../catalog/resource.ts';
import { nearest } from '../problem/nearest.ts';
import { Problem } from '../problem/problem.ts';
import { quoted } from '../problem/quoted.ts';
import { decode } from '../request/percent-encoding.ts';
import { planFacet } from './aggregate.ts';
import { planFields } from './fields.ts';
import { planFilter } from './filter.ts';
import { planLimit, planPageNumber } from './page.ts';
import { planSearch } from './search.ts';
import { planSort } from './sort.ts';

/** The parameters of a page of the console. */
export const VIEW_PARAMETERS = [
  'q',
  'filter',
  'fields',
  'sort',
  'page',
  'limit',
  'group',
  'order',
  'record',
  'panel',
  'live',
  'widths',
  'view',
] as const;

export type ViewParameter = (typeof VIEW_PARAMETERS)[number];

/** In a saved view: the day on which it was saved, if its filter is about days that move with the date. */
export const TODAY = 'today';

const NAMES: readonly string[] = [...VIEW_PARAMETERS, TODAY];

/** Why the console could not show it. Undefined if it can. */
export function viewQueryFlaw(resource: Resource, query: string): Problem | undefined {
  const values = new Map<string, string>();
  for (const segment of query.split('&').filter((part) => part !== '')) {
    const split = segment.indexOf('=');
    const [name, text] = [
      decode(split < 0 ? segment : segment.slice(0, split)),
      decode(split < 0 ? '' : segment.slice(split + 1)),
    ];
    if (name instanceof Problem) return flaw(name.detail, name.context.suggestion);
    if (text instanceof Problem) return flaw(text.detail, text.context.suggestion);
    if (!NAMES.includes(name)) return unknownName(name, withOneFilter(resource, query));
    if (values.has(name)) return flaw(`${name} appears more than once.`, `Name ${name} once.`);
    values.set(name, text);
  }
  const plans = planned(resource, (name) => values.get(name) || undefined);
  const wrong = plans.find(([, plan]) => plan instanceof Problem);
  if (wrong === undefined || !(wrong[1] instanceof Problem)) return undefined;
  const [name, { detail, context }] = [wrong[0], wrong[1]];
  return flaw(`${name}: ${detail}`, context.suggestion);
}

/** An empty parameter counts as absent. */
function planned(
  resource: Resource,
  textOf: (name: string) => string | undefined,
): readonly (readonly [string, unknown])[] {
  const search = planSearch(resource, textOf('q'));
  const when = (name: string, plan: (text: string) => unknown) => {
    const text = textOf(name);
    return [name, text === undefined ? undefined : plan(text)] as const;
  };
  return [
    ['q', search],
    when('filter', (text) => planFilter(resource, text, [])),
    when('fields', (text) => planFields(resource, text)),
    when('sort', (text) => planSort(resource, text, search instanceof Problem ? undefined : search)),
    when('page', planPageNumber),
    when('limit', (text) => planLimit(text)),
    when('group', (text) => planFacet(resource, text, (meant) => meant)),
    ...Object.entries(FORMS).map(([name, form]) => when(name, (text) => form.is.test(text) || wrongForm(text, form))),
  ];
}

/** What is beside the table. */
export const PANELS = ['summary', 'code', 'response'] as const;

interface Form {
  readonly is: RegExp;
  readonly help: string;
}

/** Of parameters that the API does not have. */
const FORMS: Readonly<Record<string, Form>> = {
  order: {
    is: /^(?:count|value|\w+\([\w*]+\))$/,
    help: 'Write count, value or a figure of the groups such as sum(qty_available).',
  },
  record: { is: /^[1-9]\d{0,14}$/, help: 'Write the id of a record, such as 7.' },
  panel: { is: new RegExp(`^(?:${PANELS.join('|')}|none)$`), help: `Write ${PANELS.join(', ')} or none.` },
  live: { is: /^(?:true|false)$/, help: 'Write true or false.' },
  widths: { is: /^\w+:\d+(?:, *\w+:\d+)*$/, help: 'Write columns with their widths in pixels: name:240,id:80.' },
  view: { is: /^[\w-]{1,64}$/, help: 'Write the id of a view: 1 to 64 letters, digits, - and _.' },
  [TODAY]: { is: /^\d{4}-\d\d-\d\d$/, help: 'Write a day such as 2026-01-31.' },
};

function wrongForm(text: string, { help }: Form): Problem {
  return new Problem('invalid_body', `${quoted(text)} is wrong.`, { suggestion: help });
}

/** The longest query that is repeated in a suggestion, in characters. */
const MAX_SUGGESTED = 400;

/** The query with what are no parameters as conditions of its filter. Undefined if that is wrong, too. */
function withOneFilter(resource: Resource, query: string): string | undefined {
  if (query.length > MAX_SUGGESTED) return undefined;
  const segments = query.split('&').filter((part) => part !== '');
  const isParameter = (segment: string) => NAMES.some((name) => segment.startsWith(`${name}=`));
  const isFilter = (segment: string) => segment.startsWith('filter=');
  const conditions = segments.filter((segment) => !isParameter(segment));
  const filter = [...segments.filter(isFilter), ...conditions].join('%26').replace(/^(?!filter=)/, 'filter=');
  const others = segments.filter((segment) => isParameter(segment) && !isFilter(segment));
  const corrected = [filter, ...others].join('&');
  return viewQueryFlaw(resource, corrected) === undefined ? corrected : undefined;
}

function unknownName(name: string, corrected: string | undefined): Problem {
  const detail = `there is no parameter ${quoted(name)}.`;
  if (corrected !== undefined)
    return flaw(detail, `In the query of a view, & within a filter is written %26. Did you mean ${corrected}?`);
  const meant = nearest(name, NAMES);
  const help = meant === undefined ? `The parameters of a view are ${NAMES.join(', ')}.` : `Did you mean ${meant}?`;
  return flaw(detail, help);
}

function flaw(detail: string, suggestion: string | undefined): Problem {
  return new Problem('invalid_body', `query cannot be shown: ${detail}`, {
    parameter: 'query',
    ...(suggestion !== undefined && { suggestion }),
  });
}
