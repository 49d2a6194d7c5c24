/** What is wrong with a filter's text, and where. A value, not an exception: wrong text is normal input. */

export type FilterErrorCode =
  | 'filter_syntax'
  | 'filter_too_long'
  | 'filter_too_many_conditions'
  | 'filter_too_deep'
  | 'filter_list_too_long';

export class FilterError {
  readonly code: FilterErrorCode;
  readonly detail: string;
  /** Offset into the filter's text, in UTF-16 code units. */
  readonly at: number;
  /** What to write instead, in words. */
  readonly suggestion: string | undefined;
  /** The whole filter, fixed, if that can be computed. */
  readonly fixed: string | undefined;

  constructor(code: FilterErrorCode, at: number, detail: string, help: { suggestion?: string; fixed?: string } = {}) {
    this.code = code;
    this.at = at;
    this.detail = detail;
    this.suggestion = help.suggestion;
    this.fixed = help.fixed;
  }
}

/** The column that a person counts: 1 for the first character, one for each code point. */
export function columnOf(text: string, at: number): number {
  return [...text.slice(0, at)].length + 1;
}
