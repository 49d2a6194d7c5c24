/** What was removed a moment ago, with a way to undo it. */

import { type FocusEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { describeError } from '../data/describe-error.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { pageOf } from '../view/page.ts';
import { readLink } from '../view/read-link.ts';
import { useView } from '../view/use-view.ts';
import { type Removal, useRemovals } from './removals.tsx';
import { nameOf, useUndo } from './use-undo.ts';
import './removal-notices.css';

/** How long it can be undone, in milliseconds, from when neither the focus nor the pointer is on it. */
const SHOWN_FOR = 10_000;

export default function RemovalNotices() {
  const [removals] = useRemovals();
  if (removals.length === 0) return null;
  return (
    <section className="removal-notices" aria-label="Removed records">
      {removals.map((removal) => (
        <RemovalNotice removal={removal} key={removal.idempotencyKey} />
      ))}
    </section>
  );
}

function RemovalNotice({ removal }: { readonly removal: Removal }) {
  const { undo, dismiss } = useUndo();
  const { adjust } = useView();
  const notice = useRef<HTMLDivElement>(null);
  const textId = useId();
  const [hasPointer, setPointer] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  const { resource, record, state } = removal;
  const isWaiting = state.kind === 'removed' && !hasPointer && !hasFocus;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rest is the same for this removal
  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = setTimeout(leave, SHOWN_FOR);
    return () => clearTimeout(timer);
  }, [isWaiting]);
  const leave = () => {
    if (notice.current?.contains(document.activeElement)) focusRecords();
    dismiss(removal);
  };
  const restore = async () => {
    if (state.kind === 'restoring') return;
    const hadFocus = notice.current?.contains(document.activeElement) ?? false;
    if (!(await undo(removal))) return;
    // Something else may be shown by now.
    const { view } = readLink(location.pathname, location.search);
    const isShown = pageOf(location.pathname) === 'records' && view.resource === resource;
    if (isShown && view.record === undefined) adjust({ record: record.data.id });
    else if (hadFocus) focusRecords();
  };
  const leaveOnEscape = (event: KeyboardEvent) => {
    if (event.key === 'Escape') leave();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it stays while somebody is on it
    <div
      className="removal-notice"
      ref={notice}
      onPointerEnter={() => setPointer(true)}
      onPointerLeave={() => setPointer(false)}
      // After a click, the focus does not mean that somebody is about to press a key.
      onFocus={({ target }: FocusEvent) => setFocus(target.matches(':focus-visible'))}
      onBlur={() => setFocus(false)}
      onKeyDown={leaveOnEscape}
    >
      <p id={textId}>
        Removed: {nameOf(removal)}
        {state.kind === 'failed' && (
          <span className="removal-notice-problem" role="alert">
            {describeFailure(state.error)}
          </span>
        )}
      </p>
      <Button ref={focusNow} aria-describedby={textId} onPress={() => void restore()}>
        {state.kind === 'restoring' ? 'Restoring…' : 'Undo'}
      </Button>
      <Button look="quiet" aria-label="Dismiss" aria-describedby={textId} onPress={leave}>
        <Icon name="remove" />
      </Button>
    </div>
  );
}

/** Not with `autoFocus`: React Aria waits for a frame after some keys, and the table would have the focus by then. */
function focusNow(button: HTMLButtonElement | null): void {
  button?.focus();
}

/** Where the Tab key stops in the table, or what is in place of it. */
function focusRecords(): void {
  const records = document.getElementById('records');
  (records?.querySelector<HTMLElement>('[role="grid"] [tabindex="0"]') ?? records)?.focus();
}

function describeFailure(error: unknown): string {
  const { title, detail } = describeError(error);
  return `It could not be restored. ${title}. ${detail}`;
}
