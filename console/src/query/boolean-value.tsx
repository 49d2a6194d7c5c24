/** Yes, no or empty: one of them, or several in a list. */

import { ToggleButton, ToggleButtonGroup } from 'react-aria-components';
import type { Field } from '../../../src/catalog/resource.ts';
import './boolean-value.css';

export interface BooleanValueProps {
  readonly field: Field;
  readonly isList: boolean;
  readonly values: readonly (string | null)[];
  readonly onChange: (values: readonly (string | null)[]) => void;
}

const CHOICES = [
  { id: 'true', value: 'true', title: 'yes' },
  { id: 'false', value: 'false', title: 'no' },
  { id: 'null', value: null, title: 'empty' },
] as const;

export function BooleanValue({ field, isList, values, onChange }: BooleanValueProps) {
  const choices = CHOICES.filter(({ value }) => value !== null || field.nullable);
  const written = values.map((value) => value?.toLowerCase() ?? null);
  const selected = choices.filter(({ value }) => written.includes(value)).map(({ id }) => id);
  return (
    <ToggleButtonGroup
      className="boolean-value"
      aria-label="Value"
      selectionMode={isList ? 'multiple' : 'single'}
      disallowEmptySelection
      selectedKeys={selected}
      onSelectionChange={(keys) => onChange(choices.filter(({ id }) => keys.has(id)).map(({ value }) => value))}
    >
      {choices.map(({ id, title }) => (
        <ToggleButton className="boolean-value-choice" id={id} key={id}>
          {title}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
