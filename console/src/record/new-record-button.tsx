/** Creates a record of the resource that is shown, if its records can be created. */

import { useState } from 'react';
import { ShortcutHint } from '../shortcuts/shortcut-hint.tsx';
import { useShortcut } from '../shortcuts/use-shortcut.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { loadLater } from '../ui/load-later.tsx';
import { useOpener } from '../ui/use-opener.ts';
import { useView } from '../view/use-view.ts';
import { EMPTY_FORM } from './new-record.ts';

const CreateRecord = loadLater(() => import('./create-record.tsx'));

export function NewRecordButton() {
  const { resource } = useView().view;
  const opener = useOpener('dialog');
  // What was typed is still there after a click elsewhere.
  const [form, setForm] = useState(EMPTY_FORM);
  useShortcut('create', opener.open);
  const title = `New ${resource.name}`;
  return (
    <>
      <Button look="primary" aria-label={title} {...opener.button}>
        <ShortcutHint name="create" title={title}>
          <Icon name="add" />
          <span className="toolbar-phone-icon">{title}</span>
        </ShortcutHint>
      </Button>
      {opener.isOpen && <CreateRecord opener={opener} resource={resource} form={form} onForm={setForm} />}
    </>
  );
}
