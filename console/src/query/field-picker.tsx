/** Finds a field by its label, name or meaning. A whole condition can be typed as well: `list_price>100`. */

import type { Filter } from '@stockbook/client/filter';
import type { KeyboardEvent } from 'react';
import { Autocomplete, Input, ListBox, ListBoxItem, TextField } from 'react-aria-components';
import { findField } from '../../../src/catalog/catalog.ts';
import type { Field, Resource } from '../../../src/catalog/resource.ts';
import { explanationOf } from '../format/field-words.ts';
import { checkFilter } from '../view/check-filter.ts';
import { rank } from './complete-filter.ts';
import './field-picker.css';
import './option-list.css';

export interface FieldPickerProps {
  readonly resource: Resource;
  readonly typed: string;
  readonly onType: (text: string) => void;
  readonly onPick: (field: Field) => void;
  readonly onFilter: (filter: Filter) => void;
}

export function FieldPicker({ resource, typed, onType, onPick, onFilter }: FieldPickerProps) {
  const fields = rank(resource.fields, typed);
  const checked = checkFilter(resource, typed);
  const filter = checked.kind === 'valid' ? checked.filter : undefined;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || filter === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onFilter(filter);
  };
  return (
    <div className="field-picker" onKeyDownCapture={onKeyDown}>
      <Autocomplete inputValue={typed} onInputChange={onType}>
        <TextField aria-label="Field" autoFocus>
          <Input className="text-input" placeholder="Search fields" />
        </TextField>
        {filter === undefined ? (
          <ListBox
            className="option-list"
            aria-label="Fields"
            items={fields}
            dependencies={[fields]}
            renderEmptyState={() => <p className="option-list-empty">{emptyWords(resource, typed)}</p>}
            onAction={(name) => {
              const field = findField(resource, String(name));
              if (field !== undefined) onPick(field);
            }}
          >
            {(field) => (
              <ListBoxItem className="option" id={field.name} textValue={field.label}>
                <span className="option-text">{field.label}</span>{' '}
                <span className="option-meaning">{explanationOf(field)}</span>
              </ListBoxItem>
            )}
          </ListBox>
        ) : (
          <p className="option-list-empty" role="status">
            Press Enter to add this condition.
          </p>
        )}
      </Autocomplete>
    </div>
  );
}

/** Whether somebody types a condition in place of a field. */
export function isCondition(typed: string): boolean {
  return /[=*<>[]/.test(typed);
}

function emptyWords(resource: Resource, typed: string): string {
  const checked = checkFilter(resource, typed);
  return isCondition(typed) && checked.kind === 'invalid' ? checked.problem.detail : 'No matching field.';
}
