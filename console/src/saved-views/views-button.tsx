/** What is shown: the name of the saved view, or all records. Opens the list of views. */

import { useEffect } from 'react';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { loadLater } from '../ui/load-later.tsx';
import { useOpener } from '../ui/use-opener.ts';
import { useView } from '../view/use-view.ts';
import { isChanged } from './saved-query.ts';
import { sawUnchanged } from './seen-tags.ts';
import { useOpenedView } from './use-saved-views.ts';
import './views-button.css';

const ViewsMenu = loadLater(() => import('./views-menu.tsx'));

export function ViewsButton() {
  const { view } = useView();
  const opened = useOpenedView();
  const opener = useOpener('menu');
  const isEdited = opened !== undefined && opened !== null && isChanged(view, opened);
  useEffect(() => {
    if (opened && !isEdited) sawUnchanged(opened);
  }, [opened, isEdited]);
  return (
    <>
      <Button look="quiet" {...opener.button}>
        <span className="visually-hidden">View: </span>
        <span className="views-button-name">{opened?.name ?? `All ${view.resource.plural}`}</span>
        {isEdited && <span className="views-button-mark">Edited</span>}
        <Icon name="down" />
      </Button>
      {opener.isOpen && <ViewsMenu opener={opener} />}
    </>
  );
}
