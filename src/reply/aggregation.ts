/** Aggregates streams of records on a thread of its own. */

import type { Field } from '../catalog/resource.ts';
import type { AggregateParts, AggregateResult } from '../columns/aggregate.ts';
import type { Filter } from '../filter/ast.ts';
import { StreamConsumer } from '../threads/stream-consumer.ts';
import { siblingModule } from '../threads/thread.ts';

export interface AggregateStart extends AggregateParts {
  /** What the records of the stream have. */
  readonly fields: readonly Field[];
  /** The filter of the request, and how many records match it. */
  readonly filter: Filter | undefined;
  readonly total: number;
  /** If it is known already, it only has to be printed, and the stream is empty. */
  readonly result?: AggregateResult;
}

/** The most characters of different texts that are held in memory. */
export const MAX_CHARACTERS = 16_000_000;

/** The body of the response, or why there is none. */
export type AggregateBody = readonly Uint8Array<ArrayBuffer>[] | 'too many groups' | 'too large';

export type Aggregation = StreamConsumer<AggregateStart, AggregateBody>;

export function startAggregation(): Aggregation {
  return new StreamConsumer(siblingModule(import.meta.url, 'aggregate-thread'));
}
