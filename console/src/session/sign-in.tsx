/** The page on which people sign in: with a key, or with the link that they have opened. */

import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Checkbox } from '../ui/checkbox.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { TextField } from '../ui/text-field.tsx';
import type { SignInState } from './use-sign-in.ts';
import './sign-in.css';

export interface SignInProps {
  readonly state: Exclude<SignInState, { readonly kind: 'signed in' | 'resuming' }>;
  readonly onSignIn: (key: string, isRemembered: boolean) => void;
}

export default function SignIn({ state, onSignIn }: SignInProps) {
  if (state.kind === 'interrupted')
    return (
      <main className="sign-in">
        <ErrorNotice error={state.error} onRetry={state.retry} />
      </main>
    );
  return state.kind === 'offered' ? <LinkForm state={state} /> : <KeyForm state={state} onSignIn={onSignIn} />;
}

function LinkForm({ state }: { readonly state: Extract<SignInState, { readonly kind: 'offered' }> }) {
  const { accept, decline, problem } = state;
  const [isRemembered, setRemembered] = useState(false);
  return (
    <Card onSubmit={() => problem === undefined && accept(isRemembered)}>
      {problem !== undefined ? (
        <p className="sign-in-problem" role="alert">
          {problem}
        </p>
      ) : (
        <>
          <p className="sign-in-lead">
            {decline === undefined
              ? `You have opened a link that signs you in to ${location.hostname}.`
              : 'You are signed in already. This link may be for another account.'}
          </p>
          <Remember isSelected={isRemembered} onChange={setRemembered} />
          <Button look="primary" type="submit" autoFocus={decline === undefined}>
            {decline === undefined ? 'Sign in' : 'Use the link'}
          </Button>
        </>
      )}
      {decline && (
        <Button autoFocus onPress={decline}>
          Stay signed in
        </Button>
      )}
    </Card>
  );
}

interface KeyFormProps extends SignInProps {
  readonly state: Extract<SignInState, { readonly kind: 'signed out' | 'signing in' }>;
}

function KeyForm({ state, onSignIn }: KeyFormProps) {
  const [key, setKey] = useState('');
  const [isRemembered, setRemembered] = useState(false);
  const isSigningIn = state.kind === 'signing in';
  const submit = () => {
    // People also copy what is around it, such as the whole header.
    const [word = key.trim()] = /sbk_\w+/.exec(key) ?? [];
    if (word !== '') onSignIn(word, isRemembered);
  };
  return (
    <Card onSubmit={submit} isBusy={isSigningIn}>
      <p className="sign-in-lead">Products, partners and companies of {location.hostname}.</p>
      {state.kind === 'signed out' && state.notice !== undefined && <p role="status">{state.notice}</p>}
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
        description="It is used once, to sign you in, and not stored in this browser."
        problem={state.kind === 'signed out' ? state.problem : undefined}
      />
      <Remember isSelected={isRemembered} onChange={setRemembered} />
      <Button look="primary" type="submit" isDisabled={isSigningIn}>
        {isSigningIn ? 'Signing in…' : 'Sign in'}
      </Button>
      <p className="sign-in-help">
        No key? Ask an administrator for one, or for a sign-in link. <a href="/docs">API reference</a> ·{' '}
        <a href="/docs/guides">Guides</a>
      </p>
    </Card>
  );
}

interface RememberProps {
  readonly isSelected: boolean;
  readonly onChange: (isSelected: boolean) => void;
}

function Remember(props: RememberProps) {
  return (
    <Checkbox {...props} meaning="For 30 days. Otherwise until you close the browser, and 12 hours at most.">
      Remember me on this device
    </Checkbox>
  );
}

interface CardProps {
  readonly children: ReactNode;
  readonly onSubmit: () => void;
  readonly isBusy?: boolean;
}

function Card({ children, onSubmit, isBusy = false }: CardProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <main className="sign-in">
      <form className="sign-in-card" onSubmit={submit} aria-busy={isBusy}>
        <div className="sign-in-brand">
          <img src="/docs/assets/icon.svg" alt="" width="32" height="32" />
          <h1>Stockbook</h1>
        </div>
        {children}
      </form>
    </main>
  );
}
