/** A page of a list, and a single record with its tag. */

export interface ListPage<R> {
  readonly data: readonly R[];
  readonly meta: {
    /** The number of records on this page. */
    readonly count: number;
    /** The number of records that match. */
    readonly total: number;
    /** With `explain`: how many records each condition of the filter matches. */
    readonly conditions?: readonly ExplainedCondition[];
    /** With `explain`: how many records each word of `q` finds. */
    readonly words?: readonly ExplainedWord[];
    /** With `explain`: what was probably meant by a filter that finds nothing. */
    readonly hint?: Hint;
  };
  readonly pagination: {
    readonly previousPage: number | null;
    readonly currentPage: number;
    readonly nextPage: number | null;
    readonly totalPages: number;
  };
}

export interface Hint {
  /** What is probably wrong. */
  readonly text: string;
  /** The filter as it was probably meant, which finds something. */
  readonly filter: string;
  /** The request with this filter: path and query string. */
  readonly request: string;
}

export interface ExplainedCondition {
  readonly filter: string;
  /** How many records meet it. */
  readonly alone: number;
  /** How many records meet all others. */
  readonly others: number;
}

export interface ExplainedWord {
  /** In lowercase. */
  readonly word: string;
  /** How many records have it. */
  readonly alone: number;
  /** How many records have all others, and meet the conditions. */
  readonly others: number;
  /** If no record has it: the words that are most like it. */
  readonly nearest?: readonly string[];
}

export interface Page<R> extends ListPage<R> {
  /** Changes with every write to the resource. Undefined if something between client and service has removed it. */
  readonly etag: string | undefined;
  /** If the filter finds nothing, and was probably meant otherwise: how. */
  readonly hint: string | undefined;
}

export interface Tagged<R> {
  readonly data: R;
  /** Changes with every write to the record, whatever `fields` are. Undefined if something between client and service has removed it. */
  readonly etag: string | undefined;
}
