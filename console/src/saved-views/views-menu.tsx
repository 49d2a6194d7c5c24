/** The saved views of the resource, and what can be done with the one that is shown. */

import type { View as SavedView } from '@stockbook/client';
import { useState } from 'react';
import { Popover as AriaPopover, Header, Menu, MenuItem, MenuSection, Separator } from 'react-aria-components';
import { useLocation } from 'wouter';
import { useSession } from '../session/session.ts';
import { maySaveViews } from '../session/usable-resources.ts';
import { copyText } from '../ui/copy-text.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import type { Opener } from '../ui/use-opener.ts';
import { VIEWS } from '../view/page.ts';
import { useView } from '../view/use-view.ts';
import { hrefOf, newView } from '../view/view.ts';
import { isChanged, openedView } from './saved-query.ts';
import { useOpenedView, useSavedViews } from './use-saved-views.ts';
import { useViewChanges, type ViewChange } from './use-view-changes.ts';
import { ViewDialog, type ViewQuestion } from './view-dialog.tsx';
import '../ui/menu.css';
import '../ui/popover.css';
import './views-menu.css';

interface Action {
  readonly icon: IconName;
  readonly label: string;
  /** Resolves to true if the menu is done. */
  readonly run: () => Promise<boolean> | boolean;
}

export default function ViewsMenu({ opener }: { readonly opener: Opener }) {
  const { view } = useView();
  const { resource } = view;
  const { me } = useSession();
  const [, navigate] = useLocation();
  const { data = [], isPending, isLoadingError } = useSavedViews();
  const opened = useOpenedView() ?? undefined;
  const changes = useViewChanges();
  const [question, setQuestion] = useState<ViewQuestion>();
  const [isCopied, setCopied] = useState<boolean>();
  if (question !== undefined) return <ViewDialog opener={opener} question={question} onQuestion={setQuestion} />;

  const views = data.filter((saved) => saved.resource === resource.name).toSorted(byName);
  const mayWrite = maySaveViews(me);
  const ask = (asked: ViewQuestion) => () => {
    setQuestion(asked);
    return false;
  };
  /** What goes wrong is said in a dialog. */
  const attempt = (saved: SavedView, change: ViewChange) => async () => {
    try {
      await changes.change(saved, change);
      return true;
    } catch (error) {
      setQuestion({ kind: 'failed', saved, change, error });
      return false;
    }
  };
  const copy = async ({ id }: SavedView) => {
    setCopied(await copyText(`${location.origin}${VIEWS}${id}`));
    return false;
  };
  const isEdited = opened !== undefined && isChanged(view, opened);
  const actions: readonly (Action | false | undefined)[] = [
    isEdited && mayWrite && { icon: 'check', label: 'Save changes', run: attempt(opened, 'what is shown') },
    isEdited && { icon: 'left', label: 'Discard changes', run: () => show(opened) },
    mayWrite && { icon: 'add', label: 'Save as new view…', run: ask({ kind: 'create' }) },
    opened && {
      icon: isCopied === undefined ? 'copy' : isCopied ? 'check' : 'warning',
      label: isCopied === undefined ? 'Copy link' : isCopied ? 'Link copied' : 'Copying was blocked',
      run: () => copy(opened),
    },
    opened && mayWrite && { icon: 'edit', label: 'Rename…', run: ask({ kind: 'rename', saved: opened }) },
    opened &&
      mayWrite && {
        icon: 'first',
        label: opened.isFirstPage ? 'Stop using as first page' : 'Use as first page',
        run: attempt(opened, { isFirstPage: !opened.isFirstPage }),
      },
    opened && mayWrite && { icon: 'remove', label: 'Delete…', run: ask({ kind: 'remove', saved: opened }) },
  ];
  const offered = actions.filter((action) => action !== false && action !== undefined);

  function show(saved: SavedView | undefined): true {
    const target = (saved && openedView(saved)) ?? newView(resource);
    navigate(hrefOf(target));
    return true;
  }

  return (
    <AriaPopover
      className="popover"
      aria-label="Views"
      triggerRef={opener.trigger}
      isOpen
      onOpenChange={opener.close}
      placement="bottom start"
      offset={4}
    >
      <Menu className="menu views-menu" aria-label="Views" id={opener.id} autoFocus="first">
        <MenuSection selectionMode="single" selectedKeys={[opened?.id ?? ALL]}>
          <Header className="views-menu-title">Views</Header>
          <MenuItem
            className="menu-item"
            id={ALL}
            textValue={`All ${resource.plural}`}
            onAction={() => show(undefined) && opener.close()}
          >
            <CheckMark isShown={opened === undefined} />
            All {resource.plural}
          </MenuItem>
          {views.map((saved) => (
            <MenuItem
              className="menu-item"
              key={saved.id}
              id={saved.id}
              textValue={saved.name}
              onAction={() => show(saved) && opener.close()}
            >
              <CheckMark isShown={saved.id === opened?.id} />
              <span className="views-menu-name">{saved.name}</span>
              {saved.isFirstPage && <span className="views-menu-note">First page</span>}
            </MenuItem>
          ))}
        </MenuSection>
        {offered.length > 0 && <Separator className="menu-separator" />}
        {offered.map(({ icon, label, run }) => (
          <MenuItem
            className="menu-item"
            key={icon}
            id={`action ${icon}`}
            textValue={label}
            shouldCloseOnSelect={false}
            onAction={async () => {
              if (await run()) opener.close();
            }}
          >
            <Icon name={icon} />
            {label}
          </MenuItem>
        ))}
      </Menu>
      {(views.length === 0 || !mayWrite) && !isPending && (
        <p className="views-menu-text">
          {views.length === 0 && (isLoadingError ? UNREAD : EMPTY)}{' '}
          {!mayWrite && 'Your key can open views, but not save them.'}
        </p>
      )}
    </AriaPopover>
  );
}

const EMPTY = 'A view keeps a search, filter, columns and order under a name, for everybody in the account.';
const UNREAD = 'The views cannot be loaded now.';

/** What no view has as its id. */
const ALL = 'all records';

function CheckMark({ isShown }: { readonly isShown: boolean }) {
  return <span className="views-menu-check">{isShown && <Icon name="check" />}</span>;
}

function byName(a: SavedView, b: SavedView): number {
  return a.name.localeCompare(b.name);
}
