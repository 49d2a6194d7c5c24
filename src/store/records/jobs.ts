/** What a read is expected to cost, on whose behalf, and until when. */

import { type CostFactors, estimateCost } from '../../plan/cost.ts';
import { NO_DEADLINE } from '../../schedule/deadline.ts';
import type { Job } from '../../schedule/fair-queue.ts';
import type { Caller } from '../store.ts';

/** How long one unit of estimated cost takes, in milliseconds. */
const MILLISECONDS_PER_COST = 0.000_1;

/** `rows` is how many records may have to be read. */
export function jobFor({ account, deadline = NO_DEADLINE }: Caller, plan?: CostFactors, rows = 0): Job {
  return { account, cost: plan === undefined ? 0 : estimateCost(plan, rows) * MILLISECONDS_PER_COST, deadline };
}
