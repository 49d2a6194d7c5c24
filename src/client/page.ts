/** A page of a list, and a single record with its tag. */

export interface ListPage<R> {
  readonly data: readonly R[];
  readonly meta: {
    /** The number of records on this page. */
    readonly count: number;
    /** The number of records that match the filter. */
    readonly total: number;
    /** With `explain`: how many records each condition of the filter matches. */
    readonly conditions?: readonly ExplainedCondition[];
  };
  readonly pagination: {
    readonly previousPage: number | null;
    readonly currentPage: number;
    readonly nextPage: number | null;
    readonly totalPages: number;
  };
}

export interface ExplainedCondition {
  readonly filter: string;
  /** How many records meet it. */
  readonly alone: number;
  /** How many records meet all others. */
  readonly others: number;
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
