/** Signing in by link: the code in the link is exchanged for a key, once. */

import { Connection, type StockbookOptions } from './connection.ts';

export interface SignInOptions extends Omit<StockbookOptions, 'key'> {
  /** From the link. */
  readonly code: string;
}

/** The key. Rejects with `key_not_accepted` if the code was used before, or has expired. */
export async function signIn({ code, ...options }: SignInOptions): Promise<string> {
  const connection = new Connection({ ...options, key: code });
  const { key } = await connection.data<{ readonly key: string }>({
    path: 'sign-in',
    method: 'POST',
  });
  return key;
}
