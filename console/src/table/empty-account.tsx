/** Shown if an account has no records of this kind: how to import some. */

import { ImportLink } from '../import/import-link.tsx';
import { NewRecordButton } from '../record/new-record-button.tsx';
import { useSession } from '../session/session.ts';
import { isCreatable, isEditable } from '../session/usable-resources.ts';
import { Notice } from '../ui/notice.tsx';
import { useView } from '../view/use-view.ts';

export default function EmptyAccount() {
  const { me } = useSession();
  const { resource } = useView().view;
  const { name, plural } = resource;
  if (isEditable(me, resource))
    return (
      <Notice title={`There are no ${plural} yet`} icon="add" actions={<ImportLink look="primary" />}>
        <p>Drop a file with {plural} here, or choose one.</p>
      </Notice>
    );
  return (
    <Notice
      title={`There are no ${plural} yet`}
      icon="add"
      actions={isCreatable(me, resource) ? <NewRecordButton key={name} /> : undefined}
    >
      <p>They appear here once somebody has imported them.</p>
      <details>
        <summary>For administrators</summary>
        <p>
          Import a file with{' '}
          <code>
            stockbook import {me.account.name} {name} {plural}.csv
          </code>
          . <a href="/docs/guides/cli#stockbook-import">About imports</a>
        </p>
      </details>
    </Notice>
  );
}
