/**
 * Edits a condition: first the field, then the operator and the value. Enter applies it, and so does a click elsewhere. What cannot
 * be applied stays, with the reason.
 */

import { type Filter, isListSymbol, printFilter } from '@stockbook/client/filter';
import { type FormEvent, type ReactNode, type Ref, useImperativeHandle, useRef, useState } from 'react';
import type { Resource } from '../../../src/catalog/resource.ts';
import { explanationOf, withLabel } from '../format/field-words.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { checkFilter } from '../view/check-filter.ts';
import {
  type ConditionDraft,
  draftOf,
  isAboutNull,
  isBlank,
  typed as typedValue,
  withField,
} from './condition-draft.ts';
import { FieldPicker, isCondition } from './field-picker.tsx';
import { conditionsOf } from './filter-tree.ts';
import { type Meaning, meaningOf } from './meaning-of-draft.ts';
import { OperatorSelect } from './operator-select.tsx';
import { ReadingQuestion } from './reading-question.tsx';
import { ValueEditor } from './value-editor.tsx';
import './condition-editor.css';

export interface ConditionEditorProps {
  readonly ref: Ref<ConditionEditorHandle>;
  readonly resource: Resource;
  /** Undefined for a new one. */
  readonly condition: Filter | undefined;
  /** Limits the suggested values to those of records that match this filter. */
  readonly context: string;
  readonly onApply: (filter: Filter) => void;
  readonly onCancel: () => void;
  /** What else can be done. */
  readonly children?: ReactNode;
}

export interface ConditionEditorHandle {
  /** Applies what was typed, or closes the editor if that is nothing. */
  readonly leave: (close: () => void) => void;
}

export function ConditionEditor(props: ConditionEditorProps) {
  const { ref, resource, condition, context, onApply, onCancel, children } = props;
  const [draft, setDraft] = useState<ConditionDraft | undefined>(condition && draftOf(resource, condition));
  const [typed, setTyped] = useState(draft === undefined ? (conditionsOf(condition)[0]?.field.text ?? '') : '');
  const [isPicking, setPicking] = useState(draft === undefined);
  /** Whether the condition is another one than before: a field alone is none. */
  const [isTouched, setTouched] = useState(false);
  const [isTried, setTried] = useState(false);
  /** Keeps the focus on the operator, for people who step through them with the keyboard. */
  const [isOperatorChosen, setOperatorChosen] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const edit = (changed: ConditionDraft) => {
    setTouched(true);
    setDraft(changed);
  };
  const apply = (meaning: Meaning) => {
    if (meaning.kind === 'filter' && problemIn(resource, meaning) === undefined) onApply(meaning.filter);
    else setTried(true);
  };
  useImperativeHandle(ref, () => ({
    leave(close) {
      const written = isPicking ? writtenIn(resource, typed) : undefined;
      if (written !== undefined) apply({ kind: 'filter', filter: written });
      else if (isPicking && isCondition(typed)) setTried(true);
      else if (!isPicking && draft !== undefined && isTouched && !isEmpty(draft)) apply(meaningOf(draft));
      else close();
    },
  }));
  if (draft === undefined || isPicking) {
    return (
      <>
        <FieldPicker
          resource={resource}
          typed={typed}
          onType={setTyped}
          onPick={(field) => {
            setDraft(withField(draft, field));
            setTouched(draft !== undefined);
            setTried(false);
            setPicking(false);
            setOperatorChosen(false);
          }}
          onFilter={onApply}
        />
        {isTried && <Button onPress={onCancel}>Discard</Button>}
      </>
    );
  }
  const meaning = meaningOf(draft);
  const explanation = explanationOf(draft.field);
  const problem = isEmptyList(draft) ? 'Add at least one value.' : problemIn(resource, meaning);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // An event of a portal bubbles to the form in which the query bar may be.
    event.stopPropagation();
    if (isEmptyList(draft)) setTried(true);
    else apply(meaning);
  };
  return (
    <form className="condition-editor" onSubmit={submit} ref={form}>
      <div className="condition-editor-subject">
        <Button look="quiet" aria-label={`${draft.field.label}: choose another field`} onPress={() => setPicking(true)}>
          <span className="condition-editor-field">{draft.field.label}</span>
          <Icon name="down" />
        </Button>
        <OperatorSelect
          draft={draft}
          onChange={(changed) => {
            setOperatorChosen(true);
            edit(changed);
          }}
        />
      </div>
      {!isAboutNull(draft) && (
        <ValueEditor
          resource={resource}
          draft={draft}
          context={context}
          autoFocus={!isOperatorChosen}
          onChange={edit}
          key={draft.field.name}
        />
      )}
      {meaning.kind === 'question' && (
        <ReadingQuestion
          question={meaning.question}
          isPressing={isTried}
          onAnswer={(answer) => {
            if (!isListSymbol(draft.operator)) return apply(meaningOf(answer));
            form.current?.querySelector('input')?.focus();
            edit({ ...answer, values: [...answer.values, typedValue('')] });
          }}
        />
      )}
      {explanation !== undefined && <p className="condition-editor-meaning">{explanation}</p>}
      {problem !== undefined && isTried && meaning.kind === 'filter' && (
        <p className="condition-editor-problem" role="alert">
          {problem}
        </p>
      )}
      <div className="condition-editor-end">
        {children}
        {isTried && <Button onPress={onCancel}>Discard</Button>}
        <Button look="primary" type="submit">
          {condition === undefined ? 'Add' : 'Apply'}
        </Button>
      </div>
    </form>
  );
}

/** The filter that somebody has typed in place of a field. Undefined if it is not one. */
function writtenIn(resource: Resource, typed: string): Filter | undefined {
  const checked = checkFilter(resource, typed);
  return checked.kind === 'valid' ? checked.filter : undefined;
}

/** Whether nothing would be lost. */
function isEmpty({ values }: ConditionDraft): boolean {
  return values.every(isBlank);
}

function isEmptyList(draft: ConditionDraft): boolean {
  return isListSymbol(draft.operator) && isEmpty(draft);
}

/** Undefined if there is none. */
function problemIn(resource: Resource, meaning: Meaning): string | undefined {
  if (meaning.kind === 'question') return 'Choose which value is meant.';
  const checked = checkFilter(resource, printFilter(meaning.filter));
  if (checked.kind === 'valid') return undefined;
  const { detail, context } = checked.problem;
  const inWords = withLabel(resource, detail);
  return context.suggestion === undefined ? inWords : `${inWords} ${context.suggestion}`;
}
