/** In place of records that the key may not read: what it may do instead, and who can help. */

import { catalog } from '../../../src/catalog/catalog.ts';
import { permittingScopes } from '../../../src/catalog/scopes.ts';
import { NewRecordButton } from '../record/new-record-button.tsx';
import { useSession } from '../session/session.ts';
import { isCreatable, isReadable } from '../session/usable-resources.ts';
import { Notice } from '../ui/notice.tsx';
import { useView } from '../view/use-view.ts';

export function Unreadable() {
  const { me } = useSession();
  const { account, key } = me;
  const { resource } = useView().view;
  const [missing] = permittingScopes('read', resource);
  const mayCreate = isCreatable(me, resource);
  const hidden = catalog.filter((candidate) => !isReadable(me, candidate)).map(({ plural }) => plural);
  return (
    <Notice
      title={
        mayCreate
          ? `This key may create ${resource.plural}, but not read them`
          : `This key may not read ${resource.plural}`
      }
      icon="key"
      actions={mayCreate ? <NewRecordButton key={resource.name} /> : undefined}
    >
      {mayCreate && (
        <p>
          You can create {resource.plural} here. What this key cannot see: {new Intl.ListFormat('en').format(hidden)}.
        </p>
      )}
      <p>
        It has the {key.scopes.length === 1 ? 'scope' : 'scopes'} {key.scopes.join(', ')}. An administrator issues a key
        for {resource.plural} with{' '}
        <code>
          stockbook key add {account.name} --name LABEL --scope {missing}
        </code>
        .
      </p>
    </Notice>
  );
}
