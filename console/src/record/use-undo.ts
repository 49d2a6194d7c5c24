/** Offers to undo removals, and does. */

import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Resource } from '../../../src/catalog/resource.ts';
import { newKey } from '../data/attempts.ts';
import { restoreRecord } from '../data/edits.ts';
import type { TaggedRecord } from '../data/records.ts';
import { showRecord } from '../data/show-edits.ts';
import { capitalized } from '../format/capitalized.ts';
import { useSession } from '../session/session.ts';
import { announce, confirmDone } from '../ui/confirmation.ts';
import { type Removal, useRemovals } from './removals.tsx';

export interface Undo {
  /** Once a record is removed. */
  readonly offer: (resource: Resource, record: TaggedRecord) => void;
  /** Resolves to false if it failed, which the removal says. */
  readonly undo: (removal: Removal) => Promise<boolean>;
  readonly dismiss: (removal: Removal) => void;
}

export function useUndo(): Undo {
  const session = useSession();
  const queryClient = useQueryClient();
  const [, setRemovals] = useRemovals();
  const { mutateAsync: restore } = useMutation({
    networkMode: 'always',
    mutationFn: (removal: Removal) => restoreRecord(session, removal),
  });
  const setState = ({ idempotencyKey }: Removal, state: Removal['state']) =>
    setRemovals((list) => list.map((one) => (one.idempotencyKey === idempotencyKey ? { ...one, state } : one)));
  const dismiss = ({ idempotencyKey }: Removal) =>
    setRemovals((list) => list.filter((one) => one.idempotencyKey !== idempotencyKey));
  return {
    offer(resource, record) {
      const removal: Removal = { resource, record, idempotencyKey: newKey(), state: { kind: 'removed' } };
      setRemovals((list) => [...list, removal]);
      // The notice is what people see.
      announce(`Removed: ${nameOf(removal)}`);
    },
    async undo(removal) {
      setState(removal, { kind: 'restoring' });
      try {
        showRecord(queryClient, removal.resource, await restore(removal));
      } catch (error) {
        setState(removal, { kind: 'failed', error });
        return false;
      }
      dismiss(removal);
      confirmDone(`${nameOf(removal)} was restored.`);
      return true;
    },
    dismiss,
  };
}

/** `Product 7 “Oak Chair”`. */
export function nameOf({ resource, record }: Pick<Removal, 'resource' | 'record'>): string {
  const { id, name } = record.data;
  const title = `${capitalized(resource.name)} ${id}`;
  return typeof name === 'string' && name.trim() !== '' ? `${title} “${name}”` : title;
}
