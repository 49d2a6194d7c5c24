/** What is wrong with a filter, whether the console or the service has noticed it. */

import { StockbookError } from '@stockbook/client';
import type { CheckedFilter } from '../view/check-filter.ts';

export interface FilterProblem {
  readonly detail: string;
  readonly suggestion: string | undefined;
  /** An offset into the text, in UTF-16 code units. */
  readonly at: number | undefined;
  /** The whole filter, fixed. */
  readonly fixed: string | undefined;
}

/** `error` is that of the list. Undefined if it has nothing to do with the filter. */
export function problemOf(text: string, checked: CheckedFilter, error: unknown): FilterProblem | undefined {
  if (checked.kind === 'invalid') {
    const { detail, context } = checked.problem;
    return {
      detail,
      suggestion: context.suggestion,
      at: offsetOf(text, context.position),
      fixed: context.fixed?.['filter'],
    };
  }
  if (!(error instanceof StockbookError) || error.status !== 400 || error.parameter !== 'filter') return undefined;
  const { detail, suggestion, position } = error;
  return { detail, suggestion, at: offsetOf(text, position), fixed: undefined };
}

/** A position counts code points from 1. */
function offsetOf(text: string, position: number | undefined): number | undefined {
  if (position === undefined) return undefined;
  return [...text].slice(0, position - 1).join('').length;
}
