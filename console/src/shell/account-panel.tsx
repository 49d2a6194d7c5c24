/** What the key may do, and until when. */

import { Link } from 'wouter';
import { formatTimeWithZone } from '../format/values.ts';
import { useSession } from '../session/session.ts';
import { editableResources } from '../session/usable-resources.ts';
import { Button } from '../ui/button.tsx';
import { Popover } from '../ui/popover.tsx';
import type { Opener } from '../ui/use-opener.ts';
import { IMPORTS } from '../view/page.ts';
import './account-panel.css';

export default function AccountPanel({ opener }: { readonly opener: Opener }) {
  const { me, signOut } = useSession();
  const { account, key } = me;
  return (
    <Popover opener={opener} label="Account and key">
      <dl className="account-panel">
        <dt>Account</dt>
        <dd>{account.name}</dd>
        <dt>Key</dt>
        <dd>{key.name}</dd>
        <dt>Scopes</dt>
        <dd>{key.scopes.join(', ')}</dd>
        <dt>Expires</dt>
        <dd>{key.expiresAt === null ? 'never' : formatTimeWithZone(key.expiresAt)}</dd>
      </dl>
      <div className="account-panel-actions">
        <Button onPress={() => signOut()}>Sign out</Button>
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
