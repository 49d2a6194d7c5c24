/** Edits a condition: first the field, then the operator and the value. Enter applies it. */

import { type FormEvent, type ReactNode, useState } from 'react';
import { type Condition, type Filter, printFilter } from 'stockbook/filter';
import type { Resource } from '../../../src/catalog/resource.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { checkFilter } from './check-filter.ts';
import {
  type ConditionDraft,
  conditionOf,
  draftOf,
  isAboutNull,
  isListOperator,
  withField,
} from './condition-draft.ts';
import { FieldPicker } from './field-picker.tsx';
import { OperatorSelect } from './operator-select.tsx';
import { ValueEditor } from './value-editor.tsx';
import './condition-editor.css';

export interface ConditionEditorProps {
  readonly resource: Resource;
  /** Undefined for a new one. */
  readonly condition: Condition | undefined;
  /** The other conditions: values that no record has besides them are not suggested. */
  readonly rest: string;
  readonly onApply: (filter: Filter) => void;
  /** What else can be done. */
  readonly children?: ReactNode;
}

export function ConditionEditor({ resource, condition, rest, onApply, children }: ConditionEditorProps) {
  const [draft, setDraft] = useState<ConditionDraft | undefined>(condition && draftOf(resource, condition));
  const [isPicking, setPicking] = useState(draft === undefined);
  const [isTried, setTried] = useState(false);
  /** Whoever chooses an operator with the keyboard may not be done with it. */
  const [isOperatorChosen, setOperatorChosen] = useState(false);
  if (draft === undefined || isPicking) {
    return (
      <FieldPicker
        resource={resource}
        initial={draft === undefined ? condition?.field.text : undefined}
        onPick={(field) => {
          setDraft(withField(draft, field));
          setPicking(false);
          setOperatorChosen(false);
        }}
        onFilter={onApply}
      />
    );
  }
  const edited = conditionOf(draft);
  const text = printFilter(edited);
  const problem = problemIn(resource, draft, text);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // An event of a portal bubbles to the form in which the query bar may be.
    event.stopPropagation();
    if (problem === undefined) onApply(edited);
    else setTried(true);
  };
  return (
    <form className="condition-editor" onSubmit={submit}>
      <div className="condition-editor-subject">
        <Button look="quiet" aria-label={`${draft.field.name}: choose another field`} onPress={() => setPicking(true)}>
          <span className="condition-editor-field">{draft.field.name}</span>
          <Icon name="down" />
        </Button>
        <OperatorSelect
          draft={draft}
          onChange={(changed) => {
            setOperatorChosen(true);
            setDraft(changed);
          }}
        />
      </div>
      {!isAboutNull(draft) && (
        <ValueEditor
          resource={resource}
          draft={draft}
          rest={rest}
          autoFocus={!isOperatorChosen}
          onChange={setDraft}
          key={draft.field.name}
        />
      )}
      <p className="condition-editor-meaning">{draft.field.meaning}</p>
      {problem !== undefined && isTried && (
        <p className="condition-editor-problem" role="alert">
          {problem}
        </p>
      )}
      <div className="condition-editor-end">
        <code className="condition-editor-text">{problem === undefined ? text : ''}</code>
        {children}
        <Button look="primary" type="submit">
          {condition === undefined ? 'Add' : 'Apply'}
        </Button>
      </div>
    </form>
  );
}

/** Undefined if there is none. */
function problemIn(resource: Resource, { operator, values }: ConditionDraft, text: string): string | undefined {
  if (isListOperator(operator) && values.length === 0) return 'Add at least one value.';
  const checked = checkFilter(resource, text);
  if (checked.kind === 'valid') return undefined;
  const { detail, context } = checked.problem;
  return context.suggestion === undefined ? detail : `${detail} ${context.suggestion}`;
}
