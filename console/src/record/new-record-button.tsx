/** Creates a partner, which is the only record that can be created. */

import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { loadLater } from '../ui/load-later.tsx';
import { useOpener } from '../ui/use-opener.ts';

const CreatePartner = loadLater(() => import('./create-partner.tsx'));

export function NewRecordButton() {
  const opener = useOpener('dialog');
  // What was typed is still there after a click elsewhere.
  const [name, setName] = useState('');
  return (
    <>
      <Button look="primary" aria-label="New partner" {...opener.button}>
        <Icon name="add" />
        <span className="toolbar-phone-icon">New partner</span>
      </Button>
      {opener.isOpen && <CreatePartner opener={opener} name={name} onName={setName} />}
    </>
  );
}
