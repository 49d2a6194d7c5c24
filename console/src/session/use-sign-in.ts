/** Signing in: with a key that a person pastes, with the key of this tab, or with the one-time code of a link. */

import { startTransition, useCallback, useEffect, useState } from 'react';
import { signIn as exchange, StockbookError } from 'stockbook/client';
import { connect, type Session } from './session.ts';
import { forgetKey, storedKey, storeKey } from './stored-key.ts';

export type SignInState =
  | { readonly kind: 'signed out'; readonly problem?: string | undefined }
  /** With a key that a person has just pasted. */
  | { readonly kind: 'signing in' }
  /** With the key of this tab, or with a link. */
  | { readonly kind: 'resuming' }
  /** The key or the code could not be tried, and may still be good. */
  | { readonly kind: 'interrupted'; readonly error: StockbookError; readonly retry: () => void }
  | { readonly kind: 'signed in'; readonly session: Session };

export interface SignInControl {
  readonly state: SignInState;
  readonly signIn: (key: string) => void;
}

/** Read once, when the page is loaded, and removed from the address bar: it works only once. */
const code = takeCode();

export function useSignIn(): SignInControl {
  const [state, setState] = useState<SignInState>({ kind: 'resuming' });
  const signOut = useCallback((problem?: string) => {
    forgetKey();
    setState({ kind: 'signed out', problem });
  }, []);
  const enter = useCallback(
    async (key: string) => {
      const connected = connect(key);
      const me = await connected.stockbook.me();
      storeKey(key);
      const session = { ...connected, me, signOut };
      // The whole account appears, which takes a while: meanwhile the page stays responsive.
      startTransition(() => setState({ kind: 'signed in', session }));
    },
    [signOut],
  );
  const signIn = useCallback(
    async (key: string) => {
      setState({ kind: 'signing in' });
      await enter(key).catch((error: unknown) => setState({ kind: 'signed out', problem: problemOf(error) }));
    },
    [enter],
  );
  const resume = useCallback(async () => {
    setState({ kind: 'resuming' });
    try {
      const key = code === undefined ? storedKey() : await keyOf(code);
      if (key === undefined) setState({ kind: 'signed out' });
      else await enter(key);
    } catch (error) {
      if (!(error instanceof StockbookError) || error.status === 401) signOut(problemOf(error));
      else setState({ kind: 'interrupted', error, retry: resume });
    }
  }, [enter, signOut]);
  useEffect(() => void resume(), [resume]);
  return { state, signIn };
}

function problemOf(error: unknown): string {
  if (!(error instanceof StockbookError)) return String(error);
  // The suggestion is for programs.
  return error.code === 'credentials_malformed' ? error.detail : error.message;
}

let exchanged: Promise<string> | undefined;

/** Once, even if it is needed again: to try again, and because React runs effects twice while the console is developed. */
function keyOf(given: string): Promise<string> {
  exchanged ??= exchange({ url: location.origin, code: given }).catch((error: unknown) => {
    exchanged = undefined;
    throw error;
  });
  return exchanged;
}

function takeCode(): string | undefined {
  const [, found] = /^#code=(\w+)$/.exec(location.hash) ?? [];
  if (found !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return found;
}
