/** Whose records these are. Opens what is known about the key. */

import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { loadLater } from '../ui/load-later.tsx';
import { useOpener } from '../ui/use-opener.ts';
import './account-button.css';

const AccountPanel = loadLater(() => import('./account-panel.tsx'));

export function AccountButton() {
  const { account } = useSession().me;
  const opener = useOpener('dialog');
  return (
    <>
      <Button look="quiet" aria-label={`Account ${account.name}`} {...opener.button}>
        <Icon name="key" />
        <span className="account-button-name">{account.name}</span>
      </Button>
      {opener.isOpen && <AccountPanel opener={opener} />}
    </>
  );
}
