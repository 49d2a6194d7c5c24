/** The page that asks for a key. */

import { type FormEvent, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Notice } from '../ui/notice.tsx';
import { TextField } from '../ui/text-field.tsx';
import type { SignInState } from './use-sign-in.ts';
import './sign-in.css';

export interface SignInProps {
  readonly state: Exclude<SignInState, { readonly kind: 'signed in' }>;
  readonly onSignIn: (key: string) => void;
}

export default function SignIn({ state, onSignIn }: SignInProps) {
  if (state.kind === 'resuming')
    return (
      <main className="sign-in">
        <p className="sign-in-resuming" role="status">
          Signing in…
        </p>
      </main>
    );
  if (state.kind === 'interrupted')
    return (
      <main className="sign-in">
        <ErrorNotice error={state.error} onRetry={state.retry} />
      </main>
    );
  if (state.kind === 'offered')
    return (
      <main className="sign-in">
        <Notice
          title="Use this sign-in link?"
          icon="key"
          actions={
            <>
              <Button look="primary" onPress={state.accept}>
                Use the link
              </Button>
              <Button onPress={state.decline}>Stay signed in</Button>
            </>
          }
        >
          <p>This tab is signed in already. The link may be for another account.</p>
        </Notice>
      </main>
    );
  return <KeyForm state={state} onSignIn={onSignIn} />;
}

interface KeyFormProps extends SignInProps {
  readonly state: Extract<SignInState, { readonly kind: 'signed out' | 'signing in' }>;
}

function KeyForm({ state, onSignIn }: KeyFormProps) {
  const [key, setKey] = useState('');
  const isSigningIn = state.kind === 'signing in';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // People also copy what is around it, such as the whole header.
    const [word = key.trim()] = /sbk_\w+/.exec(key) ?? [];
    if (word !== '') onSignIn(word);
  };
  return (
    <main className="sign-in">
      <form className="sign-in-card" onSubmit={submit} aria-busy={isSigningIn}>
        <div className="sign-in-brand">
          <img src="/docs/assets/icon.svg" alt="" width="32" height="32" />
          <h1>Stockbook</h1>
        </div>
        <p className="sign-in-lead">Products, partners and companies of {location.hostname}.</p>
        <TextField
          label="API key"
          // Not a password field: browsers would offer to store it.
          type="text"
          value={key}
          onChange={setKey}
          autoComplete="off"
          spellCheck="false"
          autoFocus
          placeholder="sbk_…"
          description="It is kept until you close this tab, and sent to this host only."
          problem={state.kind === 'signed out' ? state.problem : undefined}
        />
        <Button look="primary" type="submit" isDisabled={isSigningIn}>
          {isSigningIn ? 'Signing in…' : 'Sign in'}
        </Button>
        <p className="sign-in-help">
          An administrator issues keys with <code>stockbook key add</code>. <a href="/docs">API reference</a> ·{' '}
          <a href="/docs/guides">Guides</a>
        </p>
      </form>
    </main>
  );
}
