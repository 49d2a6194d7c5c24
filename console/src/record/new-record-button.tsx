/** Creates a partner, which is the only record that can be created. */

import { lazy, Suspense } from 'react';
import { DialogTrigger } from 'react-aria-components';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Popover } from '../ui/popover.tsx';

const CreatePartner = lazy(() => import('./create-partner.tsx'));

export function NewRecordButton() {
  return (
    <DialogTrigger>
      <Button look="primary" aria-label="New partner">
        <Icon name="add" />
        <span className="toolbar-phone-icon">New partner</span>
      </Button>
      <Popover label="New partner">
        {(close) => (
          <Suspense>
            <CreatePartner onDone={close} />
          </Suspense>
        )}
      </Popover>
    </DialogTrigger>
  );
}
