/** In place of records that the key may not read: why, and who can help. */

import { permits, permittingScopes } from '../../../src/catalog/scopes.ts';
import { NewRecordButton } from '../record/new-record-button.tsx';
import { useSession } from '../session/session.ts';
import { Notice } from '../ui/notice.tsx';
import { useView } from '../view/use-view.ts';

export function Unreadable() {
  const { account, key } = useSession().me;
  const { resource } = useView().view;
  const [missing] = permittingScopes('read', resource);
  const mayCreate = permits(key.scopes, 'write', resource);
  return (
    <Notice
      title={`This key may not read ${resource.plural}`}
      icon="key"
      actions={mayCreate ? <NewRecordButton /> : undefined}
    >
      <p>
        It has the scopes {key.scopes.join(', ')}. An administrator issues a key for {resource.plural} with{' '}
        <code>
          stockbook key add {account.name} --name LABEL --scope {missing}
        </code>
        .
      </p>
    </Notice>
  );
}
