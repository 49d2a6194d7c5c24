/** Signing in: with a key that a person pastes, with the key of this tab, or with the one-time code of a link. */

import { startTransition, useCallback, useEffect, useState } from 'react';
import { signIn as exchange, StockbookError } from 'stockbook/client';
import { connect, type Session } from './session.ts';
import { forgetKey, storedKey, storeKey } from './stored-key.ts';

export type SignInState =
  | { readonly kind: 'signed out'; readonly problem?: string | undefined }
  | { readonly kind: 'signing in' }
  | { readonly kind: 'signed in'; readonly session: Session };

export interface SignInControl {
  readonly state: SignInState;
  readonly signIn: (key: string) => void;
  readonly signOut: (reason?: string) => void;
}

/** Read once, when the page is loaded, and removed from the address bar: it works only once. */
const code = takeCode();

export function useSignIn(): SignInControl {
  const [state, setState] = useState<SignInState>({ kind: 'signing in' });
  const signOut = useCallback((problem?: string) => {
    forgetKey();
    setState({ kind: 'signed out', problem });
  }, []);
  const signInWith = useCallback(
    async (keyOf: () => Promise<string>) => {
      setState({ kind: 'signing in' });
      try {
        const connected = connect(await keyOf());
        const me = await connected.stockbook.me();
        storeKey(connected.key);
        const session = { ...connected, me, signOut };
        // The whole account appears, which takes a while: meanwhile the page stays responsive.
        startTransition(() => setState({ kind: 'signed in', session }));
      } catch (error) {
        if (!(error instanceof StockbookError)) throw error;
        // A key that could not be tried may still be good.
        if (error.status === 401) forgetKey();
        // What helps programs with a malformed key, people do not understand.
        const problem = error.code === 'credentials_malformed' ? error.detail : error.message;
        setState({ kind: 'signed out', problem });
      }
    },
    [signOut],
  );
  const signIn = useCallback((key: string) => void signInWith(async () => key), [signInWith]);
  useEffect(() => {
    const key = storedKey();
    if (code !== undefined) void signInWith(keyOfCode);
    else if (key !== undefined) signIn(key);
    else setState({ kind: 'signed out' });
  }, [signIn, signInWith]);
  return { state, signIn, signOut };
}

let exchanged: Promise<string> | undefined;

/** React runs effects twice while the console is developed, but the code works once. */
function keyOfCode(): Promise<string> {
  exchanged ??= exchange({ url: location.origin, code: code ?? '' });
  return exchanged;
}

function takeCode(): string | undefined {
  const [, found] = /^#code=(\w+)$/.exec(location.hash) ?? [];
  if (found !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return found;
}
