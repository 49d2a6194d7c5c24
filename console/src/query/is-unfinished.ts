/** Whether a filter is invalid only because somebody is still typing: `active=tr`, `name="Oak`, `(categ_id=1|`. */

import type { CheckedFilter } from '../view/check-filter.ts';
import { siteAt } from './complete-filter.ts';
import { problemOf } from './filter-problem.ts';

export function isUnfinished(text: string, checked: CheckedFilter): boolean {
  if (checked.kind === 'valid') return false;
  const site = siteAt(text, text.length);
  if (site === undefined) return false;
  const at = problemOf(text, checked, undefined)?.at ?? 0;
  return checked.filter === undefined || at >= site.from;
}
