/** Who is signed in, what that permits, and until when. */

import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import { describeError } from '../data/describe-error.ts';
import { formatTimeWithZone } from '../format/values.ts';
import { useSession } from '../session/session.ts';
import { editableResources, permissionWords } from '../session/usable-resources.ts';
import { Button } from '../ui/button.tsx';
import { Popover } from '../ui/popover.tsx';
import type { Opener } from '../ui/use-opener.ts';
import { IMPORTS } from '../view/page.ts';
import './account-panel.css';

export default function AccountPanel({ opener }: { readonly opener: Opener }) {
  const { me, signOut } = useSession();
  const { account, key } = me;
  const { mutate, isPending, error } = useMutation({ networkMode: 'always', mutationFn: signOut });
  return (
    <Popover opener={opener} label="Account">
      <dl className="account-panel">
        <dt>Account</dt>
        <dd>{account.name}</dd>
        <dt>Signed in with</dt>
        <dd>{key.name}</dd>
        <dt>You may</dt>
        {permissionWords(me).map((words) => (
          <dd title={`Scopes: ${key.scopes.join(', ')}`} key={words}>
            {words}
          </dd>
        ))}
        <dt>Signed in until</dt>
        <dd>{key.expiresAt === null ? 'you sign out' : formatTimeWithZone(key.expiresAt)}</dd>
      </dl>
      {error !== null && (
        <p className="account-panel-error" role="alert">
          You are still signed in. {describeError(error).detail}
        </p>
      )}
      <div className="account-panel-actions">
        <Button onPress={() => !isPending && mutate()}>{isPending ? 'Signing out…' : 'Sign out'}</Button>
        {/* On phones, the header has no room for them. */}
        <span className="account-panel-links">
          {editableResources(me).length > 0 && (
            <Link href={IMPORTS} onClick={opener.close}>
              Imports
            </Link>
          )}
          <a href="/docs">Docs</a>
        </span>
      </div>
    </Popover>
  );
}
