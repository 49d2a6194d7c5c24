/** Asks whose value is kept if somebody else has changed the record meanwhile. */

import { useEffect, useRef } from 'react';
import type { Field, Resource } from '../../../src/catalog/resource.ts';
import type { Value } from '../data/records.ts';
import { labelOf } from '../format/field-words.ts';
import { Button } from '../ui/button.tsx';
import { FieldValue } from './field-value.tsx';
import './field-conflict.css';

export interface FieldConflictProps {
  readonly resource: Resource;
  readonly field: Field;
  /** The names of the fields that somebody else has changed. */
  readonly changed: readonly string[];
  readonly theirs: Value;
  readonly mine: Value;
  readonly onTheirs: () => void;
  readonly onMine: () => void;
}

export function FieldConflict({ resource, field, changed, theirs, mine, onTheirs, onMine }: FieldConflictProps) {
  const group = useRef<HTMLFieldSetElement>(null);
  // Not one of the buttons: pressing Enter twice must not choose one.
  useEffect(() => group.current?.focus(), []);
  return (
    <fieldset className="field-conflict" ref={group} tabIndex={-1}>
      <legend>
        <span role="status">{describeConflict(resource, field, changed)}</span>
      </legend>
      <dl>
        <dt>Theirs</dt>
        <dd>
          <FieldValue field={field} value={theirs} />
        </dd>
        <dt>Mine</dt>
        <dd>
          <FieldValue field={field} value={mine} />
        </dd>
      </dl>
      <div className="field-conflict-actions">
        <Button onPress={onTheirs}>Take theirs</Button>
        <Button onPress={onMine}>Overwrite with mine</Button>
      </div>
    </fieldset>
  );
}

function describeConflict(resource: Resource, { name, label }: Field, changed: readonly string[]): string {
  const labels = changed.includes(name) ? [label] : changed.map((other) => labelOf(resource, other));
  const what = new Intl.ListFormat('en').format(labels);
  return `Somebody else has changed ${what === '' ? `this ${resource.name}` : `${what} of this ${resource.name}`} meanwhile.`;
}
