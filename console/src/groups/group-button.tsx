/** Opens what records can be grouped by. */

import { findField } from '../../../src/catalog/catalog.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { loadLater } from '../ui/load-later.tsx';
import { useOpener } from '../ui/use-opener.ts';
import { useView } from '../view/use-view.ts';

const GroupChooser = loadLater(() => import('./group-chooser.tsx'));

export function GroupButton() {
  const { resource, group } = useView().view;
  const field = group === undefined ? undefined : findField(resource, group.replace(/:.*/, ''));
  const opener = useOpener('dialog');
  return (
    <>
      <Button look="quiet" aria-label={field === undefined ? 'Group' : `Grouped by ${field.label}`} {...opener.button}>
        <Icon name="group" />
        {field === undefined ? <span className="toolbar-label">Group</span> : <strong>By {field.label}</strong>}
      </Button>
      {opener.isOpen && <GroupChooser opener={opener} />}
    </>
  );
}
