/** Signing in by link: the code in the link is exchanged for a key, once. */

import { CONNECTION_OPTIONS, Connection, type StockbookOptions } from './connection.ts';
import { checkOptions, type NamesOf } from './options.ts';

export interface SignInOptions extends Omit<StockbookOptions, 'key'> {
  /** From the link. */
  readonly code: string;
}

const { key: _, ...OTHERS } = CONNECTION_OPTIONS;
const SIGN_IN_OPTIONS: NamesOf<SignInOptions> = { code: 1, ...OTHERS };

/** The key. Rejects with `key_not_accepted` if the code was used before, or has expired. */
export async function signIn(options: SignInOptions): Promise<string> {
  checkOptions('signIn', options, SIGN_IN_OPTIONS);
  const { code, ...rest } = options;
  const connection = new Connection({ ...rest, key: code });
  const { key } = await connection.data<{ readonly key: string }>({
    path: 'sign-in',
    method: 'POST',
  });
  return key;
}
