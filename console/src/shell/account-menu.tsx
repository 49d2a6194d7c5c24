/** Whose records these are, and what the key may do. */

import { DialogTrigger } from 'react-aria-components';
import { formatTime } from '../format/values.ts';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Popover } from '../ui/popover.tsx';
import './account-menu.css';

export function AccountMenu() {
  const { me, signOut } = useSession();
  const { account, key } = me;
  return (
    <DialogTrigger>
      <Button look="quiet" aria-label={`Account ${account.name}`}>
        <Icon name="key" />
        <span className="account-menu-name">{account.name}</span>
      </Button>
      <Popover label="Account and key">
        <dl className="account-menu">
          <dt>Account</dt>
          <dd>{account.name}</dd>
          <dt>Key</dt>
          <dd>{key.name}</dd>
          <dt>Scopes</dt>
          <dd>{key.scopes.join(', ')}</dd>
          <dt>Expires</dt>
          <dd>{key.expiresAt === null ? 'never' : formatTime(key.expiresAt)}</dd>
        </dl>
        <Button onPress={() => signOut()}>Sign out</Button>
      </Popover>
    </DialogTrigger>
  );
}
