/** All fields of one record, beside the table. */

import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { isInactive } from '../data/inactive.ts';
import { useList } from '../data/use-list.ts';
import { useRecord } from '../data/use-record.ts';
import { useSession } from '../session/session.ts';
import { isEditable } from '../session/usable-resources.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Icon } from '../ui/icon.tsx';
import { Notice } from '../ui/notice.tsx';
import { Tag } from '../ui/tag.tsx';
import { useView } from '../view/use-view.ts';
import { NotInTable } from './not-in-table.tsx';
import { RecordFields } from './record-fields.tsx';
import { RemoveButton } from './remove-button.tsx';
import { StepButton } from './step-button.tsx';
import './record-panel.css';

export default function RecordPanel({ id }: { readonly id: number }) {
  const { view, show } = useView();
  const { resource } = view;
  const { me } = useSession();
  const canEdit = isEditable(me, resource);
  const { data: record, error, refetch, isPending } = useRecord(resource, id);
  const { data: page, isFetching, isPlaceholderData } = useList();
  /** Whether empty fields are shown, of this record and of those that are opened after it. */
  const [isUnfolded, setUnfolded] = useState(false);
  const panel = useRef<HTMLElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: for every record
  useEffect(() => {
    if (!panel.current?.contains(document.activeElement)) heading.current?.focus();
  }, [id]);
  const isGone = record === null;
  useEffect(() => {
    // What had the focus is gone with the record.
    if (isGone && document.activeElement === document.body) heading.current?.focus();
  }, [isGone]);
  const close = () => show({ record: undefined });
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    close();
  };
  // A page that is being loaded may have it.
  const isListed = page?.data.some((listed) => listed.id === id);
  const isMissing = isListed === false && !isFetching && !isPlaceholderData;
  const name = record?.data['name'];
  return (
    <aside className="record-panel" ref={panel} aria-labelledby="record-panel-title" onKeyDown={closeOnEscape}>
      <div className="record-panel-bar">
        <StepButton id={id} to="previous" />
        <StepButton id={id} to="next" />
        <span className="record-panel-space" />
        <CopyButton label="Copy link" text={() => location.href} />
        <CopyButton label="Copy JSON" text={() => JSON.stringify(record?.data, undefined, 2)} />
        <Button look="quiet" aria-label="Close the record" onPress={close}>
          <Icon name="remove" />
        </Button>
      </div>
      <header className="record-panel-head">
        <p className="record-panel-kind">
          {resource.name} {id}
          {isInactive(resource, record?.data) && <Tag>inactive</Tag>}
        </p>
        <h2 className="record-panel-title" id="record-panel-title" ref={heading} tabIndex={-1}>
          {typeof name === 'string' && name.trim() !== '' ? name : `${resource.name} ${id}`}
        </h2>
        {canEdit && record && <RemoveButton resource={resource} record={record} key={id} />}
      </header>
      <div className="record-panel-content" aria-busy={isPending}>
        {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {error !== null && record === undefined ? null : isGone ? (
          <Notice
            title={`There is no ${resource.name} ${id}`}
            icon="search"
            actions={<Button onPress={close}>Close</Button>}
          >
            <p>It was deleted, or the link is for another account.</p>
          </Notice>
        ) : (
          <>
            {isMissing && <NotInTable id={id} />}
            {/* Nothing that was typed for one record makes sense for another. */}
            <RecordFields
              resource={resource}
              record={record}
              canEdit={canEdit}
              isUnfolded={isUnfolded}
              onUnfold={setUnfolded}
              key={id}
            />
          </>
        )}
      </div>
    </aside>
  );
}
