/** The form for a new partner. Sending it repeatedly creates only one. */

import { StockbookError } from '@stockbook/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { findField } from '../../../src/catalog/catalog.ts';
import { valueFromJson } from '../../../src/catalog/field-value.ts';
import { partner } from '../../../src/catalog/partner.ts';
import { permits } from '../../../src/catalog/scopes.ts';
import { Mismatch } from '../../../src/catalog/value.ts';
import { describeError } from '../data/describe-error.ts';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Popover } from '../ui/popover.tsx';
import { TextField } from '../ui/text-field.tsx';
import type { Opener } from '../ui/use-opener.ts';
import { useView } from '../view/use-view.ts';
import './create-partner.css';

/** How often the client retries with the same key before the form reports the failure. */
const RETRIES = 2;

export interface CreatePartnerProps {
  readonly opener: Opener;
  readonly name: string;
  readonly onName: (name: string) => void;
}

export default function CreatePartner({ opener, name, onName }: CreatePartnerProps) {
  const { stockbook, me } = useSession();
  const isReadable = permits(me.key.scopes, 'read', partner);
  const { show } = useView();
  const queryClient = useQueryClient();
  const [problem, setProblem] = useState<string>();
  const sent = useRef({ name: '', idempotencyKey: '' });
  const {
    mutate,
    isPending,
    error,
    data: created,
  } = useMutation({
    mutationFn: (chosen: string) => {
      // Retries with the same name share the key, whether or not the first attempt arrived.
      if (sent.current.name !== chosen) sent.current = { name: chosen, idempotencyKey: newKey() };
      const { idempotencyKey } = sent.current;
      return stockbook.partners.create({ name: chosen }, { idempotencyKey, retries: RETRIES });
    },
    onSuccess: (id) => {
      onName('');
      sent.current = { name: '', idempotencyKey: '' };
      if (!isReadable) return;
      void queryClient.invalidateQueries({ queryKey: [partner.name] });
      opener.close();
      show({ record: id });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = problemOf(name);
    setProblem(found);
    if (found === undefined && !isPending) mutate(name);
  };
  return (
    <Popover opener={opener} label="New partner">
      <form className="create-partner" onSubmit={submit} aria-busy={isPending}>
        <TextField
          label="Name"
          name="name"
          value={name}
          onChange={(text) => {
            onName(text);
            setProblem(undefined);
          }}
          isReadOnly={isPending}
          autoComplete="off"
          autoFocus
          description={
            created === undefined
              ? 'Only the name can be set here. The new partner is active.'
              : `Partner ${created} was created.`
          }
          problem={problem ?? (error === null || name !== sent.current.name ? undefined : failureOf(error))}
        />
        <div className="create-partner-actions">
          <Button
            onPress={() => {
              onName('');
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

/** By the rules of the service. */
function problemOf(name: string): string | undefined {
  const field = findField(partner, 'name');
  const value = field && valueFromJson(field, name);
  return value instanceof Mismatch ? `The name ${value.requirement}.` : undefined;
}

function failureOf(error: Error): string {
  const { title, detail } = describeError(error);
  const isTemporary = error instanceof StockbookError && error.isTemporary;
  return `${title}. ${detail}${isTemporary ? ' It is safe to try again: only one partner is created.' : ''}`;
}

/** Not `randomUUID`, which browsers have on secure pages only. */
function newKey(): string {
  return `console-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`;
}
