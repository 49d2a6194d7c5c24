/** The form for a new record. Sending it repeatedly creates only one. */

import { StockbookError } from '@stockbook/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Field, Resource } from '../../../src/catalog/resource.ts';
import type { Value } from '../../../src/catalog/value.ts';
import { storageOf } from '../../../src/catalog/value-types.ts';
import { Attempts, RETRIES } from '../data/attempts.ts';
import { describeError } from '../data/describe-error.ts';
import { readAgain } from '../data/read-again.ts';
import { creatableRecordsOf } from '../data/records.ts';
import { capitalized } from '../format/capitalized.ts';
import { wordFor } from '../format/word-for.ts';
import { useSession } from '../session/session.ts';
import { isReadable } from '../session/usable-resources.ts';
import { Button } from '../ui/button.tsx';
import { Choice } from '../ui/choice.tsx';
import { confirmDone } from '../ui/confirmation.ts';
import { Popover } from '../ui/popover.tsx';
import { TextField } from '../ui/text-field.tsx';
import type { Opener } from '../ui/use-opener.ts';
import { useView } from '../view/use-view.ts';
import { type Checked, checkForm, creatableFields, EMPTY_FORM, type NewRecord, type RecordForm } from './new-record.ts';
import './create-record.css';

export interface CreateRecordProps {
  readonly opener: Opener;
  readonly resource: Resource;
  readonly form: RecordForm;
  readonly onForm: (form: RecordForm) => void;
}

const NO_PROBLEMS: Checked['problems'] = {};

export default function CreateRecord({ opener, resource, form, onForm }: CreateRecordProps) {
  const { connection, me } = useSession();
  const { show } = useView();
  const queryClient = useQueryClient();
  const [problems, setProblems] = useState(NO_PROBLEMS);
  const [attempts] = useState(() => new Attempts());
  const {
    mutate,
    isPending,
    error,
    data: created,
  } = useMutation({
    mutationFn: (record: NewRecord) => {
      const idempotencyKey = attempts.keyFor(JSON.stringify(record));
      return creatableRecordsOf(connection, resource).create(record, { idempotencyKey, retries: RETRIES });
    },
    onSuccess: (id) => {
      onForm(EMPTY_FORM);
      attempts.end();
      if (!isReadable(me, resource)) return;
      void readAgain(queryClient, resource);
      opener.close();
      confirmDone(`${capitalized(resource.name)} ${id} was created.`);
      show({ record: id });
    },
  });
  const { record, problems: found } = checkForm(resource, form);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setProblems(found);
    if (Object.keys(found).length === 0 && !isPending) mutate(record);
  };
  const isFailed = error !== null && attempts.isLatest(JSON.stringify(record));
  const fields = creatableFields(resource);
  return (
    <Popover opener={opener} label={`New ${resource.name}`}>
      <form className="create-record" onSubmit={submit} aria-busy={isPending}>
        {fields.map((field, index) => (
          <FieldInput
            key={field.name}
            field={field}
            text={form[field.name] ?? ''}
            isReadOnly={isPending}
            autoFocus={index === 0}
            problem={problems[field.name] ?? (isFailed && index === 0 ? failureOf(error, resource) : undefined)}
            onText={(text) => {
              onForm({ ...form, [field.name]: text });
              setProblems(NO_PROBLEMS);
            }}
          />
        ))}
        <p className="create-record-note" role="status">
          {created === undefined
            ? `Only ${new Intl.ListFormat('en').format(fields.map(({ label }) => `“${label}”`))} can be set here.`
            : `${capitalized(resource.name)} ${created} was created.`}
        </p>
        <div className="create-record-actions">
          <Button
            onPress={() => {
              onForm(EMPTY_FORM);
              opener.close();
            }}
          >
            {created === undefined ? 'Cancel' : 'Close'}
          </Button>
          <Button look="primary" type="submit" isDisabled={isPending}>
            {isPending ? 'Creating…' : 'Create'}
          </Button>
        </div>
      </form>
    </Popover>
  );
}

interface FieldInputProps {
  readonly field: Field;
  readonly text: string;
  readonly isReadOnly: boolean;
  readonly autoFocus: boolean;
  readonly problem: string | undefined;
  readonly onText: (text: string) => void;
}

function FieldInput({ field, text, isReadOnly, autoFocus, problem, onText }: FieldInputProps) {
  if (storageOf(field) === 'boolean') {
    const initial = field.initial.kind === 'value' ? field.initial.value : null;
    const values = [true, false, ...(field.nullable ? [null] : [])];
    return (
      <div className="create-record-choice">
        <span>{field.label}</span>
        <Choice
          label={field.label}
          options={values.map((value) => ({ id: textOf(value), title: wordFor(value) ?? '' }))}
          chosen={text === '' ? textOf(initial) : text}
          isDisabled={isReadOnly}
          onChoose={onText}
        />
      </div>
    );
  }
  return (
    <TextField
      label={field.label}
      name={field.name}
      value={text}
      onChange={onText}
      isReadOnly={isReadOnly}
      autoComplete="off"
      autoFocus={autoFocus}
      problem={problem}
    />
  );
}

/** Null is what is not given. */
function textOf(value: Value | null): string {
  return value === null ? '' : String(value);
}

function failureOf(error: Error, { name }: Resource): string {
  const { title, detail } = describeError(error);
  const isTemporary = error instanceof StockbookError && error.isTemporary;
  return `${title}. ${detail}${isTemporary ? ` It is safe to try again: only one ${name} is created.` : ''}`;
}
