/** Removes the open record. There is no question first: it can be undone. */

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Resource } from '../../../src/catalog/resource.ts';
import { Attempts } from '../data/attempts.ts';
import { describeError } from '../data/describe-error.ts';
import { removeRecord } from '../data/edits.ts';
import type { TaggedRecord } from '../data/records.ts';
import { editScope, shownRecord, showRecord, showRemoval } from '../data/show-edits.ts';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { readLink } from '../view/read-link.ts';
import { useView } from '../view/use-view.ts';
import { useUndo } from './use-undo.ts';
import './remove-button.css';

export interface RemoveButtonProps {
  readonly resource: Resource;
  readonly record: TaggedRecord;
}

export function RemoveButton({ resource, record }: RemoveButtonProps) {
  const session = useSession();
  const queryClient = useQueryClient();
  const { adjust } = useView();
  const { offer } = useUndo();
  const [attempts] = useState(() => new Attempts());
  const [problem, setProblem] = useState<string>();
  const problemId = useId();
  const { id } = record.data;
  const { mutate, isPending } = useMutation({
    scope: editScope(resource, id),
    networkMode: 'always',
    // What is restored is what was removed, so it has to be what was read.
    mutationFn: async () => {
      const shown = shownRecord(queryClient, resource, id) ?? record;
      const idempotencyKey = attempts.keyFor(shown.etag ?? '');
      return { removed: await removeRecord(session, { resource, record: shown, idempotencyKey }), shown };
    },
    onSuccess: ({ removed, shown }) => {
      if (removed.kind === 'removed') {
        // The notice takes the focus at once: when the panel that has it is gone, the table would.
        flushSync(() => offer(resource, shown));
        // Something else may be shown by now. The back button does not lead to what is gone.
        const { view } = readLink(location.pathname, location.search);
        if (view.resource === resource && view.record === id) adjust({ record: undefined });
      }
      if (removed.kind === 'removed' || removed.record === null) return showRemoval(queryClient, resource, id);
      showRecord(queryClient, resource, removed.record);
      setProblem(
        `Somebody else has changed this ${resource.name} meanwhile. Look at it, and remove it again if you want to.`,
      );
    },
    onError: (error) => {
      const { title, detail } = describeError(error);
      setProblem(`${title}. ${detail}`);
    },
  });
  return (
    <div className="remove-button">
      <Button
        {...(problem !== undefined && { 'aria-describedby': problemId })}
        onPress={() => {
          setProblem(undefined);
          if (!isPending) mutate();
        }}
      >
        {isPending ? 'Removing…' : 'Remove'}
        <span className="visually-hidden">
          {resource.name} {id}
        </span>
      </Button>
      {problem !== undefined && (
        <p className="remove-button-problem" id={problemId} role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
