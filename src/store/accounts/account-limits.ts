/** The limits that an account can have of its own. */

import type { AccountLimits } from '../store.ts';

/** The column of each, and what the audit trail calls it. */
export const LIMITS = [
  { name: 'rateLimit', column: 'rate_limit', title: 'requests per second' },
  { name: 'recordLimit', column: 'record_limit', title: 'records' },
  { name: 'byteLimit', column: 'byte_limit', title: 'bytes' },
] as const satisfies readonly { readonly name: keyof AccountLimits; readonly column: string; readonly title: string }[];

export const NO_LIMITS: AccountLimits = { rateLimit: null, recordLimit: null, byteLimit: null };
