/** The currency in which the account has its amounts. */

import { useSession } from './session.ts';

/** An ISO 4217 code. Null if the account has none: its amounts are numbers. */
export function useCurrency(): string | null {
  return useSession().me.account.currency;
}
