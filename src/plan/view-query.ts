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
    if (!NAMES.includes(name)) return unknownName(name);
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
    ...Object.entries(FORMS).map(([name, form]) => when(name, (text) => form.test(text) || wrongForm(text))),
  ];
}

/** What is beside the table. */
export const PANELS = ['summary', 'code', 'response'] as const;

/** Of parameters that the API does not have. */
const FORMS: Readonly<Record<string, RegExp>> = {
  order: /^(?:count|value|\w+\([\w*]+\))$/,
  record: /^[1-9]\d{0,14}$/,
  panel: new RegExp(`^(?:${PANELS.join('|')}|none)$`),
  live: /^(?:true|false)$/,
  widths: /^\w+:\d+(?:, *\w+:\d+)*$/,
  view: /^[\w-]{1,64}$/,
  [TODAY]: /^\d{4}-\d\d-\d\d$/,
};

function wrongForm(text: string): Problem {
  return new Problem('invalid_body', `${quoted(text)} is wrong.`);
}

function unknownName(name: string): Problem {
  const meant = nearest(name, NAMES);
  const help = meant === undefined ? `The parameters of a view are ${NAMES.join(', ')}.` : `Did you mean ${meant}?`;
  return flaw(`there is no parameter ${quoted(name)}.`, help);
}

function flaw(detail: string, suggestion: string | undefined): Problem {
  return new Problem('invalid_body', `query cannot be shown: ${detail}`, {
    parameter: 'query',
    ...(suggestion !== undefined && { suggestion }),
  });
}
