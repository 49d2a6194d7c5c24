/** Says what is wrong with a link, and offers to go on. Whatever is done next corrects the address. */

import { useLocation, useSearch } from 'wouter';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { readLink } from './read-link.ts';
import { hrefOf, type View } from './view.ts';
import './link-notice.css';

const GONE = 'The saved view was deleted. Its filter, columns and order are still shown.';

export interface LinkNoticeProps {
  /** Whether the saved view that was opened does not exist any more. */
  readonly isGone: boolean;
}

export default function LinkNotice({ isGone }: LinkNoticeProps) {
  const [path, navigate] = useLocation();
  const { view, problems, meant } = readLink(path, useSearch());
  const goTo = (target: View) => navigate(hrefOf(isGone ? { ...target, saved: undefined } : target), { replace: true });
  return (
    <section className="link-notice" aria-label="About this link" role="alert">
      <Icon name="warning" />
      <div className="link-notice-text">
        <strong>{isGone ? GONE : 'This link is not shown as it is written.'}</strong>
        <ul>
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      </div>
      <div className="link-notice-actions">
        {meant !== undefined && (
          <Button look="primary" onPress={() => goTo(meant)}>
            Show what was probably meant
          </Button>
        )}
        <Button onPress={() => goTo(view)}>Continue anyway</Button>
      </div>
    </section>
  );
}
