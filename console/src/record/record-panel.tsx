/** All fields of one record, beside the table. */

import { type KeyboardEvent, useEffect, useRef } from 'react';
import { useList } from '../data/use-list.ts';
import { useRecord } from '../data/use-record.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Icon } from '../ui/icon.tsx';
import { Notice } from '../ui/notice.tsx';
import { useView } from '../view/use-view.ts';
import { RecordField } from './record-field.tsx';
import './record-panel.css';

export default function RecordPanel({ id }: { readonly id: number }) {
  const { view, show } = useView();
  const { resource } = view;
  const { data: record, error, refetch, isPending } = useRecord(resource, id);
  const { data: page } = useList();
  const panel = useRef<HTMLElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: for every record
  useEffect(() => {
    if (!panel.current?.contains(document.activeElement)) heading.current?.focus();
  }, [id]);
  const close = () => show({ record: undefined });
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    close();
  };
  const place = page?.data.findIndex((listed) => listed.id === id) ?? -1;
  const previous = place === -1 ? undefined : page?.data[place - 1]?.id;
  const next = place === -1 ? undefined : page?.data[place + 1]?.id;
  const name = record?.['name'];
  return (
    <aside className="record-panel" ref={panel} aria-labelledby="record-panel-title" onKeyDown={closeOnEscape}>
      <div className="record-panel-bar">
        <Step label="Previous record" icon="up" id={previous} />
        <Step label="Next record" icon="down" id={next} />
        <span className="record-panel-space" />
        <CopyButton label="Copy link" text={() => location.href} />
        <CopyButton label="Copy JSON" text={() => JSON.stringify(record, undefined, 2)} />
        <Button look="quiet" aria-label="Close the record" onPress={close}>
          <Icon name="remove" />
        </Button>
      </div>
      <header className="record-panel-head">
        <p className="record-panel-kind">
          {resource.name} {id}
        </p>
        <h2 className="record-panel-title" id="record-panel-title" ref={heading} tabIndex={-1}>
          {typeof name === 'string' && name.trim() !== '' ? name : `${resource.name} ${id}`}
        </h2>
      </header>
      <div className="record-panel-content" aria-busy={isPending}>
        {error !== null ? (
          <ErrorNotice error={error} onRetry={() => void refetch()} />
        ) : record === null ? (
          <Notice
            title={`There is no ${resource.name} ${id}`}
            icon="search"
            actions={<Button onPress={close}>Close</Button>}
          >
            <p>It was deleted, or the link is for another account.</p>
          </Notice>
        ) : (
          <dl>
            {resource.fields.map((field) => (
              <RecordField field={field} value={record?.[field.name]} key={field.name} />
            ))}
          </dl>
        )}
      </div>
    </aside>
  );
}

interface StepProps {
  readonly label: string;
  readonly icon: 'up' | 'down';
  /** Undefined if there is none on this page. */
  readonly id: number | undefined;
}

function Step({ label, icon, id }: StepProps) {
  const { adjust } = useView();
  return (
    <Button
      look="quiet"
      aria-label={label}
      isDisabled={id === undefined}
      onPress={() => id !== undefined && adjust({ record: id })}
    >
      <Icon name={icon} />
    </Button>
  );
}
