/** Opens what records can be grouped by. */

import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { loadLater } from '../ui/load-later.tsx';
import { useOpener } from '../ui/use-opener.ts';

const GroupChooser = loadLater(() => import('./group-chooser.tsx'));

export function GroupButton() {
  const opener = useOpener('dialog');
  return (
    <>
      <Button look="quiet" aria-label="Group" {...opener.button}>
        <Icon name="group" />
        <span className="toolbar-label">Group</span>
      </Button>
      {opener.isOpen && <GroupChooser opener={opener} />}
    </>
  );
}
