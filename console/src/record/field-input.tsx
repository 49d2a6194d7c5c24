/** The input for a field: choices for a boolean, digits for a number, lines for text, and suggestions if it can hold only some texts. A field that can be without a value has a box for that. */

import { useId } from 'react';
import { Input, TextArea, TextField } from 'react-aria-components';
import type { Field } from '../../../src/catalog/resource.ts';
import { isNumeric, isText, storageOf, valueTypes } from '../../../src/catalog/value-types.ts';
import { wordFor } from '../format/word-for.ts';
import { BooleanValue } from '../query/boolean-value.tsx';
import { exactOrNull } from '../query/condition-draft.ts';
import { Checkbox } from '../ui/checkbox.tsx';
import { type FieldDraft, typedDraft } from './field-draft.ts';
import '../ui/text-field.css';

export interface FieldInputProps {
  readonly field: Field;
  readonly draft: FieldDraft;
  readonly labelledBy: string;
  /** The id of what is wrong with the draft. */
  readonly describedBy: string | undefined;
  readonly isReadOnly: boolean;
  readonly onDraft: (draft: FieldDraft) => void;
}

export function FieldInput({ field, draft, labelledBy, describedBy, isReadOnly, onDraft }: FieldInputProps) {
  const choicesId = useId();
  const { choices } = field;
  if (storageOf(field) === 'boolean')
    return (
      <BooleanValue
        field={field}
        isList={false}
        values={[exactOrNull(draft)]}
        autoFocus
        isReadOnly={isReadOnly}
        labelledBy={labelledBy}
        describedBy={describedBy}
        onChange={([value]) => onDraft(value?.text ?? null)}
      />
    );
  const placeholder = draft === null ? wordFor(null) : isText(field) ? '' : String(valueTypes[field.type].examples[0]);
  return (
    <>
      <TextField
        aria-labelledby={labelledBy}
        {...(describedBy !== undefined && { 'aria-describedby': describedBy })}
        isInvalid={describedBy !== undefined}
        validationBehavior="aria"
        isReadOnly={isReadOnly}
        autoComplete="off"
        value={draft ?? ''}
        onChange={(text) => onDraft(typedDraft(field, text))}
      >
        {isText(field) && choices === undefined ? (
          <TextArea className="text-input field-editor-text" ref={begin} rows={1} placeholder={placeholder} />
        ) : (
          <Input
            className="text-input"
            ref={begin}
            placeholder={placeholder}
            inputMode={isNumeric(field) ? 'decimal' : 'text'}
            {...(choices && { list: choicesId })}
          />
        )}
        {choices && (
          <datalist id={choicesId}>
            {choices.map((choice) => (
              <option value={choice} key={choice} />
            ))}
          </datalist>
        )}
      </TextField>
      {field.nullable && (
        <Checkbox
          isSelected={draft === null}
          isReadOnly={isReadOnly}
          onChange={(isNull) => onDraft(isNull ? null : '')}
        >
          {wordFor(null)}
        </Checkbox>
      )}
    </>
  );
}

/**
 * What is typed replaces the value, as in a spreadsheet. Not with `autoFocus`: React Aria waits for a frame after some keys, and
 * what is typed at once would be lost.
 */
function begin(input: HTMLInputElement | HTMLTextAreaElement | null): void {
  input?.focus();
  input?.select();
}
