/**
 * Yes, no or not set: one of them, or several in a list. These look like a `Choice`, but are inputs of the form: the arrow keys
 * choose, and Enter submits it.
 */

import { Checkbox, CheckboxGroup, Radio, RadioGroup } from 'react-aria-components';
import type { Field } from '../../../src/catalog/resource.ts';
import { wordFor } from '../format/word-for.ts';
import { type ConditionDraft, exactOrNull } from './condition-draft.ts';
import '../ui/choice.css';

export interface BooleanValueProps {
  readonly field: Field;
  readonly isList: boolean;
  readonly values: ConditionDraft['values'];
  readonly autoFocus: boolean;
  readonly isReadOnly?: boolean;
  /** The id of the element that names it, if that is not a value of a condition. */
  readonly labelledBy?: string;
  readonly describedBy?: string | undefined;
  readonly onChange: (values: ConditionDraft['values']) => void;
}

const CHOICES = [
  { id: 'true', value: 'true', title: wordFor(true) },
  { id: 'false', value: 'false', title: wordFor(false) },
  { id: 'null', value: null, title: wordFor(null) },
] as const;

export function BooleanValue(props: BooleanValueProps) {
  const { field, isList, values, autoFocus, isReadOnly = false, labelledBy, describedBy, onChange } = props;
  const choices = CHOICES.filter(({ value }) => value !== null || field.nullable);
  const written = values.map((value) => value?.text.toLowerCase() ?? null);
  const selected = choices.filter(({ value }) => written.includes(value)).map(({ id }) => id);
  const change = (ids: readonly string[]) =>
    onChange(choices.filter(({ id }) => ids.includes(id)).map(({ value }) => exactOrNull(value)));
  if (isList)
    return (
      <CheckboxGroup className="choice" aria-label="Values" value={selected} onChange={change}>
        {choices.map(({ id, title }) => (
          <Checkbox className="choice-option" value={id} key={id}>
            {title}
          </Checkbox>
        ))}
      </CheckboxGroup>
    );
  return (
    <RadioGroup
      className="choice"
      {...(labelledBy === undefined ? { 'aria-label': 'Value' } : { 'aria-labelledby': labelledBy })}
      {...(describedBy !== undefined && { 'aria-describedby': describedBy })}
      isReadOnly={isReadOnly}
      orientation="horizontal"
      value={selected[0] ?? null}
      onChange={(id) => change([id])}
    >
      {choices.map(({ id, title }) => (
        <Radio className="choice-option" value={id} key={id} autoFocus={autoFocus && id === selected[0]}>
          {title}
        </Radio>
      ))}
    </RadioGroup>
  );
}
