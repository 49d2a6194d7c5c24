/** Asks for the name of a view, whether it is to be deleted, or what to do after it could not be saved. */

import { type View as SavedView, StockbookError } from '@stockbook/client';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { MAX_VIEW_NAME } from '../../../src/plan/view.ts';
import { describeError } from '../data/describe-error.ts';
import { Button } from '../ui/button.tsx';
import { Checkbox } from '../ui/checkbox.tsx';
import { Popover } from '../ui/popover.tsx';
import { TextField } from '../ui/text-field.tsx';
import type { Opener } from '../ui/use-opener.ts';
import { useView } from '../view/use-view.ts';
import { hrefOf } from '../view/view.ts';
import { openedView } from './saved-query.ts';
import { useSavedViews } from './use-saved-views.ts';
import { newViewId, useViewChanges, type ViewChange } from './use-view-changes.ts';
import './view-dialog.css';

export type ViewQuestion =
  | { readonly kind: 'create' }
  | { readonly kind: 'rename'; readonly saved: SavedView }
  | { readonly kind: 'remove'; readonly saved: SavedView }
  | Failure;

interface Failure {
  readonly kind: 'failed';
  readonly saved: SavedView;
  /** Undefined if it was to be deleted. */
  readonly change?: ViewChange;
  readonly error: unknown;
}

export interface ViewDialogProps {
  readonly opener: Opener;
  readonly question: ViewQuestion;
  readonly onQuestion: (question: ViewQuestion) => void;
}

export function ViewDialog({ opener, question, onQuestion }: ViewDialogProps) {
  useFocusAfterwards(opener);
  switch (question.kind) {
    case 'create':
    case 'rename':
      return <NameDialog opener={opener} saved={question.kind === 'rename' ? question.saved : undefined} />;
    case 'remove':
      return <RemoveDialog opener={opener} saved={question.saved} onQuestion={onQuestion} />;
    case 'failed':
      return <FailureDialog opener={opener} failure={question} onQuestion={onQuestion} />;
  }
}

/** What had the focus before the dialog, an item of the menu, does not exist any more. */
function useFocusAfterwards({ trigger }: Opener): void {
  useEffect(
    () => () => {
      // In the next frame, the rest of the page is not inert any more.
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) trigger.current?.focus();
      });
    },
    [trigger],
  );
}

/** Of a new view, unless one is given. */
function NameDialog({ opener, saved }: { readonly opener: Opener; readonly saved: SavedView | undefined }) {
  const { resource } = useView().view;
  const changes = useViewChanges();
  // A second attempt saves the same view.
  const [id] = useState(newViewId);
  const [name, setName] = useState(saved?.name ?? '');
  const [isFirstPage, setFirstPage] = useState(false);
  const [isPending, setPending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isPending) return;
    if (name.trim() === '') {
      setProblem('Give the view a name.');
      return;
    }
    setPending(true);
    try {
      await (saved === undefined
        ? changes.create(id, name.trim(), isFirstPage)
        : changes.change(saved, { name: name.trim() }));
      opener.close();
    } catch (error) {
      setProblem(problemOf(error, name.trim()));
      setPending(false);
    }
  };
  return (
    <Popover opener={opener} label={saved === undefined ? 'Save as new view' : `Rename ${saved.name}`}>
      <form className="view-dialog" onSubmit={submit} aria-busy={isPending}>
        <TextField
          label="Name of the view"
          value={name}
          maxLength={MAX_VIEW_NAME}
          autoComplete="off"
          autoFocus
          isReadOnly={isPending}
          problem={problem}
          onChange={(text) => {
            setName(text);
            setProblem(undefined);
          }}
        />
        {saved === undefined && (
          <Checkbox isSelected={isFirstPage} onChange={setFirstPage}>
            {`Use it as the first page of ${resource.plural}`}
          </Checkbox>
        )}
        <p>Everybody in the account sees it.</p>
        <div className="view-dialog-actions">
          <Button onPress={opener.close}>Cancel</Button>
          <Button look="primary" type="submit">
            {isPending ? 'Saving…' : 'Save'}
          </Button>
        </div>
      </form>
    </Popover>
  );
}

interface RemoveDialogProps extends Omit<ViewDialogProps, 'question'> {
  readonly saved: SavedView;
}

function RemoveDialog({ opener, saved, onQuestion }: RemoveDialogProps) {
  const changes = useViewChanges();
  const remove = async () => {
    try {
      await changes.remove(saved);
      opener.close();
    } catch (error) {
      onQuestion({ kind: 'failed', saved, error });
    }
  };
  return (
    <Question
      opener={opener}
      title={`Delete the view “${saved.name}”?`}
      text="Nobody in the account can open it any more, and its link stops working. No records are deleted."
    >
      <Button onPress={opener.close}>Cancel</Button>
      <Button look="primary" autoFocus onPress={remove}>
        Delete
      </Button>
    </Question>
  );
}

interface FailureDialogProps extends Omit<ViewDialogProps, 'question'> {
  readonly failure: Failure;
}

function FailureDialog({ opener, failure: { saved, change, error }, onQuestion }: FailureDialogProps) {
  const changes = useViewChanges();
  const [, navigate] = useLocation();
  const { data, refetch } = useSavedViews();
  if (change === undefined || !(error instanceof StockbookError) || error.code !== 'view_changed') {
    const { title, detail } = describeError(error);
    return (
      <Question opener={opener} title={title} text={detail}>
        <Button autoFocus onPress={opener.close}>
          Close
        </Button>
      </Question>
    );
  }
  const saveMine = async () => {
    try {
      await changes.overwrite(saved, change);
      opener.close();
    } catch (failure) {
      onQuestion({ kind: 'failed', saved, change, error: failure });
    }
  };
  const showTheirs = async () => {
    const { data: views = data } = await refetch();
    const theirs = views?.find(({ id }) => id === saved.id);
    const opened = theirs && openedView(theirs);
    if (opened !== undefined) navigate(hrefOf(opened));
    opener.close();
  };
  return (
    <Question
      opener={opener}
      title={`Somebody else has changed “${saved.name}”`}
      text="Since you opened it, the view was saved by somebody else, or deleted. Nothing of yours is lost."
    >
      <Button onPress={showTheirs}>Show theirs</Button>
      <Button look="primary" autoFocus onPress={saveMine}>
        Save mine
      </Button>
    </Question>
  );
}

interface QuestionTextProps {
  readonly opener: Opener;
  readonly title: string;
  readonly text: string;
  /** The answers. */
  readonly children: ReactNode;
}

function Question({ opener, title, text, children }: QuestionTextProps) {
  return (
    <Popover opener={opener} label={title}>
      <div className="view-dialog">
        <h2>{title}</h2>
        <p>{text}</p>
        <div className="view-dialog-actions">{children}</div>
      </div>
    </Popover>
  );
}

function problemOf(error: unknown, name: string): string {
  const code = error instanceof StockbookError ? error.code : undefined;
  switch (code) {
    case 'view_name_taken':
      return `There is already a view called “${name}”. Choose another name.`;
    case 'too_many_views':
      return `${describeError(error).detail} Delete one that nobody needs.`;
    case 'view_changed':
      return 'Somebody else has changed or deleted this view. Close this and open it again.';
    default: {
      const { title, detail } = describeError(error);
      return `${title}. ${detail}`;
    }
  }
}
