/** Signing in: with a key that a person pastes, with the key of this tab, or with the one-time code of a link. */

import { signIn as exchange, StockbookError } from '@stockbook/client';
import { startTransition, useCallback, useEffect, useState } from 'react';
import { withLocalTimes } from '../format/values.ts';
import { connect, type Session } from './session.ts';
import { takeCode } from './sign-in-code.ts';
import { forgetKey, storedKey, storeKey } from './stored-key.ts';

export type SignInState =
  | { readonly kind: 'signed out'; readonly problem?: string | undefined }
  /** With a key that a person has just pasted. */
  | { readonly kind: 'signing in' }
  /** With the key of this tab, or with a link. */
  | { readonly kind: 'resuming' }
  /** A link was opened in a tab that is signed in: somebody else may have sent it. */
  | { readonly kind: 'offered'; readonly accept: () => void; readonly decline: () => void }
  /** The key or the code could not be tried, and may still be good. */
  | { readonly kind: 'interrupted'; readonly error: StockbookError; readonly retry: () => void }
  | { readonly kind: 'signed in'; readonly session: Session };

export interface SignInControl {
  readonly state: SignInState;
  readonly signIn: (key: string) => void;
}

/** Read once, when the page is loaded. */
const code = takeCode();

export function useSignIn(): SignInControl {
  const [state, setState] = useState<SignInState>({ kind: 'resuming' });
  const signOut = useCallback((problem?: string) => {
    forgetKey();
    setState({ kind: 'signed out', problem: problem && withLocalTimes(problem) });
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
  /** Tries a key or a code again until somebody says whether it is good. */
  const resume = useCallback(
    async (keyOf: () => Promise<string>) => {
      setState({ kind: 'resuming' });
      try {
        await enter(await keyOf());
      } catch (error) {
        if (!(error instanceof StockbookError) || error.status === 401) signOut(problemOf(error));
        else setState({ kind: 'interrupted', error, retry: () => resume(keyOf) });
      }
    },
    [enter, signOut],
  );
  useEffect(() => {
    const key = storedKey();
    const withKey = () => void resume(async () => key ?? '');
    const withCode = () => void resume(() => exchanged(code ?? ''));
    if (code !== undefined && key !== undefined) setState({ kind: 'offered', accept: withCode, decline: withKey });
    else if (code !== undefined) withCode();
    else if (key !== undefined) withKey();
    else setState({ kind: 'signed out' });
  }, [resume]);
  return { state, signIn };
}

function problemOf(error: unknown): string {
  // A header cannot have every character, and a key has only few of them.
  if (!(error instanceof StockbookError)) return 'This is not a key: it has characters that no key has.';
  // The suggestion is for programs.
  return error.code === 'credentials_malformed' ? error.detail : withLocalTimes(error.message);
}

let exchanging: Promise<string> | undefined;

/** The key for a code. A code works once, but its key may be needed again. */
function exchanged(given: string): Promise<string> {
  exchanging ??= exchange({ url: location.origin, code: given }).then(
    (key) => {
      storeKey(key);
      return key;
    },
    (error: unknown) => {
      exchanging = undefined;
      throw error;
    },
  );
  return exchanging;
}
