import type { Row } from '../../support/rows.ts';

/** A point that the contract leaves open, what Stockbook does, and requests that demonstrate it. */
export interface Decision {
  readonly point: string;
  readonly says: string;
  readonly rows: readonly Row[];
}
