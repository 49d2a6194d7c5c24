/** The fields of a record in groups. Those that are empty are folded, until somebody wants to see them. */

import { useState } from 'react';
import type { Field, Resource } from '../../../src/catalog/resource.ts';
import type { TaggedRecord, Value } from '../data/records.ts';
import { countOf } from '../format/values.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { isSetByPeople } from './editable-fields.ts';
import { groupsOf } from './field-groups.ts';
import { RecordField } from './record-field.tsx';
import './record-fields.css';

export interface RecordFieldsProps {
  readonly resource: Resource;
  /** Undefined while it is loading. */
  readonly record: TaggedRecord | undefined;
  readonly canEdit: boolean;
  readonly isUnfolded: boolean;
  readonly onUnfold: (isUnfolded: boolean) => void;
}

export function RecordFields({ resource, record, canEdit, isUnfolded, onUnfold }: RecordFieldsProps) {
  /** Fields that had a value here. One that loses it stays in sight: somebody may just have cleared it. */
  const [seen, setSeen] = useState<ReadonlySet<Field>>(new Set());
  const filled = resource.fields.filter(({ name }) => record !== undefined && !isEmpty(record.data[name]));
  if (filled.some((field) => !seen.has(field))) setSeen(new Set([...seen, ...filled]));
  const empty = resource.fields.filter((field) => !seen.has(field) && !filled.includes(field));
  const isFolded = (field: Field) => record !== undefined && !isUnfolded && empty.includes(field);
  return (
    <>
      {groupsOf(resource.fields).map(({ heading, fields }) => {
        const shown = fields.filter((field) => !isFolded(field));
        if (shown.length === 0) return null;
        return (
          <section className="record-fields" key={heading ?? ''}>
            {heading !== undefined && <h3 className="record-fields-heading">{heading}</h3>}
            <dl>
              {shown.map((field) => (
                <RecordField
                  resource={resource}
                  field={field}
                  record={record}
                  isEditable={canEdit && isSetByPeople(field)}
                  key={field.name}
                />
              ))}
            </dl>
          </section>
        );
      })}
      {record !== undefined && empty.length > 0 && (
        <div className="record-fields-fold">
          <Button look="quiet" onPress={() => onUnfold(!isUnfolded)}>
            {isUnfolded ? 'Hide empty fields' : `Show ${countOf(empty.length, 'empty field', 'empty fields')}`}
            <Icon name={isUnfolded ? 'up' : 'down'} />
          </Button>
        </div>
      )}
    </>
  );
}

function isEmpty(value: Value | undefined): boolean {
  return value === null || value === undefined || (typeof value === 'string' && value.trim() === '');
}
