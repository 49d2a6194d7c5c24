/** Whether a filter is valid, and if not why: by the code with which the service decides it. */

import { type Filter, FilterError, parseFilter } from '@stockbook/client/filter';
import type { Resource } from '../../../src/catalog/resource.ts';
import { planFilter } from '../../../src/plan/filter.ts';
import { Problem } from '../../../src/problem/problem.ts';

export type CheckedFilter =
  /** Without syntax if the text is empty. */
  | { readonly kind: 'valid'; readonly filter: Filter | undefined }
  /** The syntax may be valid nevertheless: a field or value is not. */
  | { readonly kind: 'invalid'; readonly problem: Problem; readonly filter: Filter | undefined };

export function checkFilter(resource: Resource, text: string): CheckedFilter {
  if (text.trim() === '') return { kind: 'valid', filter: undefined };
  const parsed = parseFilter(text);
  const filter = parsed instanceof FilterError ? undefined : parsed;
  const planned = planFilter(resource, text, []);
  return planned instanceof Problem ? { kind: 'invalid', problem: planned, filter } : { kind: 'valid', filter };
}
