/** A field of a record: its label, the name that the API has for it, and its full value, which can be edited if the key permits it. */

import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import type { Field, Resource } from '../../../src/catalog/resource.ts';
import type { TaggedRecord } from '../data/records.ts';
import { describeField } from '../format/field-words.ts';
import { linkOf } from '../format/link-of.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { Icon } from '../ui/icon.tsx';
import { FieldEditor } from './field-editor.tsx';
import { FieldValue } from './field-value.tsx';
import './record-field.css';

export interface RecordFieldProps {
  readonly resource: Resource;
  readonly field: Field;
  /** Undefined while it is loading. */
  readonly record: TaggedRecord | undefined;
  readonly isEditable: boolean;
}

export function RecordField({ resource, field, record, isEditable }: RecordFieldProps) {
  const { name, label } = field;
  const nameId = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [isEditing, setEditing] = useState(false);
  const value = record?.data[name];
  // A button cannot have a link in it.
  const isLink = linkOf(field, value) !== undefined;
  /** What had the focus in the last state: the editor, or the button that it gave the focus back to. */
  const focused = useRef<'editor' | 'button'>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with a link, the button is another one, which appears when the value has been saved
  useEffect(() => {
    const isLost = document.activeElement === document.body;
    if (isLost && !isEditing && focused.current !== undefined) button.current?.focus();
    focused.current = isEditing ? 'editor' : focused.current === 'editor' ? 'button' : undefined;
  }, [isEditing, isLink]);
  const isOffered = isEditable && record !== undefined;
  const editOnF2 = (event: KeyboardEvent) => {
    if (event.key !== 'F2' || !isOffered) return;
    event.preventDefault();
    setEditing(true);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the key is for whatever has the focus in it
    <div className="record-field" onKeyDown={editOnF2}>
      <dt className="record-field-title" title={describeField(field)}>
        <span className="record-field-label" id={nameId}>
          {label}
        </span>{' '}
        <code className="record-field-name">{name}</code>
      </dt>
      {isOffered && isEditing ? (
        <dd>
          <FieldEditor
            resource={resource}
            field={field}
            record={record}
            labelledBy={nameId}
            onDone={() => setEditing(false)}
          />
        </dd>
      ) : (
        <dd>
          {!isOffered ? (
            <FieldValue field={field} value={value} />
          ) : isLink ? (
            <>
              <FieldValue field={field} value={value} />
              <AriaButton
                className="record-field-pencil"
                aria-label={`Edit ${label}`}
                ref={button}
                onPress={() => setEditing(true)}
              >
                <Icon name="edit" />
              </AriaButton>
            </>
          ) : (
            <AriaButton className="record-field-edit" ref={button} onPress={() => setEditing(true)}>
              <span className="visually-hidden">Edit {label}: </span>
              <FieldValue field={field} value={value} />
              <Icon name="edit" />
            </AriaButton>
          )}
          {value !== undefined && value !== null && (
            <div className="record-field-copy">
              <CopyButton label={`Copy ${label}`} isIcon text={() => String(value)} />
            </div>
          )}
        </dd>
      )}
    </div>
  );
}
