/** Signing in: with a key that a person pastes, with the one-time code of a link, or with the session that this browser has already. */

import { StockbookError } from '@stockbook/client';
import { startTransition, useCallback, useEffect, useState } from 'react';
import { withLocalTimes } from '../format/values.ts';
import {
  endSession,
  forgetKeyOfEarlierVersion,
  forgetSession,
  keyOfEarlierVersion,
  knownSession,
  onOtherTab,
  rememberSession,
  startSession,
} from './browser-session.ts';
import { readCatalog } from './page-catalog.ts';
import { connect, type Session } from './session.ts';
import { takeCode } from './sign-in-code.ts';

export type SignInState =
  | {
      readonly kind: 'signed out';
      readonly problem?: string | undefined;
      /** What has happened, if nothing went wrong. */
      readonly notice?: string;
    }
  /** With a key that a person has just pasted. */
  | { readonly kind: 'signing in' }
  /** With the session of this browser, or with a link. */
  | { readonly kind: 'resuming' }
  /** A link was opened. Somebody else may have sent it, or a program that checks links may have opened it, so a person has to agree. */
  | {
      readonly kind: 'offered';
      readonly accept: (isRemembered: boolean) => void;
      /** Undefined if nobody is signed in. */
      readonly decline?: (() => void) | undefined;
      /** Why the link does not work. */
      readonly problem?: string | undefined;
    }
  /** Nobody knows whether it would have worked. */
  | { readonly kind: 'interrupted'; readonly error: StockbookError; readonly retry: () => void }
  | { readonly kind: 'signed in'; readonly session: Session };

export interface SignInControl {
  readonly state: SignInState;
  readonly signIn: (key: string, isRemembered: boolean) => void;
}

/** Read once, when the page is loaded. */
const code = takeCode();

export function useSignIn(): SignInControl {
  const [state, setState] = useState<SignInState>({ kind: 'resuming' });
  /** `id` is that of the session that has ended. */
  const leave = useCallback((problem?: string, id = knownSession()) => {
    if (id !== undefined) forgetSession(id);
    setState({ kind: 'signed out', problem: problem && withLocalTimes(problem) });
  }, []);
  /** Shows the account of the session that this browser has. */
  const enter = useCallback(async () => {
    const connected = connect();
    const [me] = await Promise.all([connected.stockbook.me(), readCatalog(connected.connection)]);
    rememberSession(me.key.id);
    const onEnded = (problem?: string) => leave(problem, me.key.id);
    const signOut = async () => {
      await endSession().catch((error: unknown) => {
        if (!isRefused(error)) throw error;
      });
      onEnded();
    };
    const session = { ...connected, me, signOut, onEnded };
    // The whole account appears, which takes a while: meanwhile the page stays responsive.
    startTransition(() => setState({ kind: 'signed in', session }));
  }, [leave]);
  const signIn = useCallback(
    async (key: string, isRemembered: boolean) => {
      setState({ kind: 'signing in' });
      await startSession(key, isRemembered)
        .then(enter)
        .catch((error: unknown) => setState({ kind: 'signed out', problem: problemOf(error) }));
    },
    [enter],
  );
  /** Begins a session first if `start` says how; what was begun is not begun again. */
  const resume = useCallback(
    async (start?: () => Promise<void>, onRefused = (error: unknown) => leave(problemOf(error))) => {
      let next = start;
      setState({ kind: 'resuming' });
      try {
        await start?.();
        next = undefined;
        await enter();
      } catch (error) {
        if (isRefused(error)) onRefused(error);
        else if (error instanceof StockbookError)
          setState({ kind: 'interrupted', error, retry: () => resume(next, onRefused) });
        else throw error;
      }
    },
    [enter, leave],
  );
  useEffect(() => {
    const key = keyOfEarlierVersion();
    if (code !== undefined) offer(code);
    else if (key !== undefined) void resume(() => replaceKey(key));
    else if (knownSession() !== undefined) void resume();
    else setState({ kind: 'signed out' });

    function offer(given: string, problem?: string): void {
      const decline = knownSession() === undefined ? undefined : () => void resume();
      const refused = (error: unknown) =>
        decline === undefined ? leave(problemOf(error)) : offer(given, problemOf(error));
      const accept = (isRemembered: boolean) => void resume(() => startSession(given, isRemembered), refused);
      setState({ kind: 'offered', accept, decline, problem });
    }
  }, [resume, leave]);
  const shown = state.kind === 'signed in' ? state.session.me.key.id : undefined;
  const isWaiting = state.kind === 'signed out';
  useEffect(
    () =>
      onOtherTab(() => {
        const known = knownSession();
        if (known === shown) return;
        if (known === undefined && shown !== undefined)
          setState({ kind: 'signed out', notice: 'You signed out in another tab.' });
        else if (known !== undefined && (isWaiting || shown !== undefined)) void resume();
      }),
    [shown, isWaiting, resume],
  );
  return { state, signIn };
}

async function replaceKey(key: string): Promise<void> {
  await startSession(key, false).catch((error: unknown) => {
    if (isRefused(error)) forgetKeyOfEarlierVersion();
    throw error;
  });
  forgetKeyOfEarlierVersion();
}

/** Whether the service has said that it will not work. A header cannot have every character, and a key has only few of them. */
function isRefused(error: unknown): boolean {
  return error instanceof StockbookError ? error.status === 401 : error instanceof TypeError;
}

function problemOf(error: unknown): string | undefined {
  if (!(error instanceof StockbookError)) return 'This is not a key: it has characters that no key has.';
  // The browser was closed, and the session was not to be remembered.
  if (error.code === 'authentication_required') return undefined;
  // The suggestion is for programs.
  return error.code === 'credentials_malformed' ? error.detail : withLocalTimes(error.message);
}
