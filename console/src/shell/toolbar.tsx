/** Above the table: how many records there are, and what can be done with them. */

import { ExportButton } from '../export/export-button.tsx';
import { GroupButton } from '../groups/group-button.tsx';
import { ImportLink } from '../import/import-link.tsx';
import { LiveButton } from '../live/live-button.tsx';
import { NewRecordButton } from '../record/new-record-button.tsx';
import { useSession } from '../session/session.ts';
import { isCreatable, isEditable } from '../session/usable-resources.ts';
import { ColumnsButton } from '../table/columns-button.tsx';
import { Pager } from '../table/pager.tsx';
import { Total } from '../table/total.tsx';
import { useView } from '../view/use-view.ts';
import { PanelButton } from './panel-button.tsx';
import './toolbar.css';

export function Toolbar() {
  const { me } = useSession();
  const { resource, group } = useView().view;
  return (
    <div className="toolbar">
      <Total />
      {group === undefined && <Pager />}
      <div className="toolbar-actions">
        <LiveButton />
        <GroupButton />
        {group === undefined && <ColumnsButton />}
        <ExportButton />
        {isEditable(me, resource) && <ImportLink look="quiet" />}
        <PanelButton />
        {isCreatable(me, resource) && <NewRecordButton key={resource.name} />}
      </div>
    </div>
  );
}
