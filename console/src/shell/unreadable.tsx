/** In place of records that the key may not read: what it may do instead, and who can help. */

import { resources } from '../../../src/catalog/catalog.ts';
import { permittingScopes } from '../../../src/catalog/scopes.ts';
import { ImportLink } from '../import/import-link.tsx';
import { NewRecordButton } from '../record/new-record-button.tsx';
import { useSession } from '../session/session.ts';
import { isCreatable, isEditable, isReadable } from '../session/usable-resources.ts';
import { Notice } from '../ui/notice.tsx';
import { useView } from '../view/use-view.ts';

export default function Unreadable() {
  const { me } = useSession();
  const { account, key } = me;
  const { resource } = useView().view;
  const [missing] = permittingScopes('read', resource);
  const mayCreate = isCreatable(me, resource);
  const mayImport = isEditable(me, resource);
  const permitted = [...(mayCreate ? ['create'] : []), ...(mayImport ? ['import'] : [])].join(' and ');
  const hidden = resources.filter((candidate) => !isReadable(me, candidate)).map(({ plural }) => plural);
  return (
    <Notice
      title={
        permitted === ''
          ? `This key may not read ${resource.plural}`
          : `This key may ${permitted} ${resource.plural}, but not read them`
      }
      icon="key"
      actions={
        permitted === '' ? undefined : (
          <>
            {mayCreate && <NewRecordButton key={resource.name} />}
            {mayImport && <ImportLink look="primary" />}
          </>
        )
      }
    >
      {permitted !== '' && (
        <p>
          You can {permitted} {resource.plural} here. What this key cannot see:{' '}
          {new Intl.ListFormat('en').format(hidden)}.
        </p>
      )}
      <p>Ask an administrator for a key that may.</p>
      <details>
        <summary>For administrators</summary>
        <p>
          This key has the {key.scopes.length === 1 ? 'scope' : 'scopes'} {key.scopes.join(', ')}. A key for{' '}
          {resource.plural} is issued with{' '}
          <code>
            stockbook key add {account.name} --name LABEL --scope {missing}
          </code>
          .
        </p>
      </details>
    </Notice>
  );
}
