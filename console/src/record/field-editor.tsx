/** Edits one field of a record, in an input for its type. Enter saves, and Escape cancels. */

import { StockbookError } from '@stockbook/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useId, useState } from 'react';
import { valueFromText } from '../../../src/catalog/field-value.ts';
import type { Field, Resource } from '../../../src/catalog/resource.ts';
import { Mismatch } from '../../../src/catalog/value.ts';
import { Attempts } from '../data/attempts.ts';
import { describeError } from '../data/describe-error.ts';
import { updateRecord } from '../data/edits.ts';
import type { TaggedRecord, Value } from '../data/records.ts';
import { editScope, shownRecord, showRecord, showRemoval } from '../data/show-edits.ts';
import type { ConditionDraft } from '../query/condition-draft.ts';
import type { Question } from '../query/meaning-of-draft.ts';
import { ReadingQuestion } from '../query/reading-question.tsx';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { confirmDone } from '../ui/confirmation.ts';
import { changedFields } from './editable-fields.ts';
import { FieldConflict } from './field-conflict.tsx';
import { draftOf } from './field-draft.ts';
import { FieldInput } from './field-input.tsx';
import { problemWith, questionAbout, readValue } from './read-value.ts';
import './field-editor.css';

export interface FieldEditorProps {
  readonly resource: Resource;
  readonly field: Field;
  /** As the panel shows it: it may have changed since the editor was opened. */
  readonly record: TaggedRecord;
  /** The id of the element with the field's name. */
  readonly labelledBy: string;
  readonly onDone: () => void;
}

/** Why the value was not saved yet. */
type Obstacle =
  | { readonly kind: 'problem'; readonly text: string }
  | { readonly kind: 'question'; readonly question: Question }
  /** Somebody else has changed these fields. */
  | { readonly kind: 'conflict'; readonly mine: Value; readonly changed: readonly string[] };

interface Save {
  /** The value that is replaced. Another one in its place is a conflict. */
  readonly over: Value;
  readonly value: Value;
}

export function FieldEditor({ resource, field, record, labelledBy, onDone }: FieldEditorProps) {
  const session = useSession();
  const queryClient = useQueryClient();
  const theirs = record.data[field.name] ?? null;
  const [before] = useState(theirs);
  const [draft, setDraft] = useState(() => draftOf(field, before));
  const [obstacle, setObstacle] = useState<Obstacle>();
  const [attempts] = useState(() => new Attempts());
  const problemId = useId();
  const { id } = record.data;
  const { mutate, isPending } = useMutation({
    scope: editScope(resource, id),
    // Fails at once when offline, instead of saving the change much later.
    networkMode: 'always',
    mutationFn: async ({ over, value }: Save) => {
      const shown = shownRecord(queryClient, resource, id) ?? record;
      if (shown.data[field.name] !== over)
        return { edited: { kind: 'changed' as const, record: shown }, changed: [field.name] };
      const idempotencyKey = attempts.keyFor(JSON.stringify([shown.etag, value]));
      const edit = { resource, record: shown, idempotencyKey };
      const edited = await updateRecord(session, edit, { [field.name]: value });
      return { edited, changed: edited.record === null ? [] : changedFields(resource, shown, edited.record) };
    },
    onSuccess: ({ edited, changed }, { value }) => {
      if (edited.record === null) return showRemoval(queryClient, resource, id);
      showRecord(queryClient, resource, edited.record);
      if (edited.kind === 'saved') {
        confirmDone('Saved');
        onDone();
      } else setObstacle({ kind: 'conflict', mine: value, changed });
    },
    onError: (error) => setObstacle({ kind: 'problem', text: failureOf(error) }),
  });
  const save = (value: Value | Mismatch) => {
    if (value instanceof Mismatch) setObstacle({ kind: 'problem', text: problemWith(field, value) });
    else if (value === theirs) onDone();
    else mutate({ over: before, value });
  };
  const submit = () => {
    if (isPending) return;
    // What was not edited need not be read, which might raise a question.
    if (draft === draftOf(field, before)) return onDone();
    const question = draft === null ? undefined : questionAbout(field, draft);
    if (question !== undefined) setObstacle({ kind: 'question', question });
    else save(draft === null ? null : readValue(field, draft));
  };
  const submitForm = (event: FormEvent) => {
    event.preventDefault();
    submit();
  };
  const answer = ({ values: [value] }: ConditionDraft) => {
    if (value) save(valueFromText(field, value.text));
  };
  const handleKey = (event: KeyboardEvent) => {
    const { key, shiftKey, nativeEvent, target } = event;
    if (key === 'Escape') {
      // The panel would be closed.
      event.stopPropagation();
      if (!nativeEvent.isComposing && !isPending) onDone();
    } else if (key === 'Enter' && !shiftKey && !nativeEvent.isComposing && target instanceof HTMLTextAreaElement) {
      event.preventDefault();
      submit();
    }
  };
  return (
    <form className="field-editor" aria-busy={isPending} onSubmit={submitForm} onKeyDown={handleKey}>
      {obstacle?.kind === 'conflict' ? (
        <FieldConflict
          resource={resource}
          field={field}
          changed={obstacle.changed}
          theirs={theirs}
          mine={obstacle.mine}
          onTheirs={onDone}
          onMine={() => !isPending && mutate({ over: theirs, value: obstacle.mine })}
        />
      ) : (
        <FieldInput
          field={field}
          draft={draft}
          labelledBy={labelledBy}
          describedBy={obstacle?.kind === 'problem' ? problemId : undefined}
          isReadOnly={isPending}
          onDraft={(changed) => {
            setDraft(changed);
            setObstacle(undefined);
          }}
        />
      )}
      {obstacle?.kind === 'question' && <ReadingQuestion question={obstacle.question} isPressing onAnswer={answer} />}
      {obstacle?.kind === 'problem' && (
        <p className="field-editor-problem" id={problemId} role="alert">
          {obstacle.text}
        </p>
      )}
      {obstacle?.kind !== 'conflict' && (
        <div className="field-editor-actions">
          <Button onPress={() => !isPending && onDone()}>Cancel</Button>
          <Button look="primary" type="submit">
            {isPending ? 'Saving…' : 'Save'}
          </Button>
        </div>
      )}
    </form>
  );
}

/** What is wrong with the value, or why it could not be saved. */
function failureOf(error: Error): string {
  const { title, detail } = describeError(error);
  if (!(error instanceof StockbookError)) return `${title}. ${detail}`;
  // A suggestion for API clients does not help somebody who has typed a value.
  if (error.status === 400) return error.detail;
  return `${title}. ${detail}${error.isTemporary ? ' It is safe to try again.' : ''}`;
}
