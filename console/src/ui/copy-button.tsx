/** Copies text, and says that it did. */

import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { copyText } from './copy-text.ts';
import { Icon, type IconName } from './icon.tsx';
import './copy-button.css';

export interface CopyButtonProps {
  /** Called when it is needed: the text may be long. */
  readonly text: () => string;
  /** What is copied. */
  readonly label: string;
  /** Shows the icon only; the label is for screen readers. */
  readonly isIcon?: boolean;
}

type Outcome = 'copied' | 'refused';

const MESSAGES: Readonly<Record<Outcome, string>> = {
  copied: 'Copied',
  refused: 'Copying was blocked',
};

const ICONS: Readonly<Record<Outcome, IconName>> = { copied: 'check', refused: 'warning' };

/** How long the outcome is shown, in milliseconds. */
const SHOWN_FOR = 2_000;

export function CopyButton({ text, label, isIcon = false }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<Outcome>();
  useEffect(() => {
    if (outcome === undefined) return undefined;
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_FOR);
    return () => clearTimeout(timer);
  }, [outcome]);
  return (
    <span className="copy-button">
      <Button
        look={isIcon ? 'quiet' : 'plain'}
        {...(isIcon && { 'aria-label': label })}
        onPress={async () => {
          setOutcome((await copyText(text())) ? 'copied' : 'refused');
        }}
      >
        <Icon name={outcome === undefined ? 'copy' : ICONS[outcome]} />
        {!isIcon && (
          <span className="copy-button-words">
            {/* It keeps its place, so that nothing beside the button moves. */}
            <span data-hidden={outcome !== undefined || undefined}>{label}</span>
            {outcome && <span aria-hidden="true">{MESSAGES[outcome]}</span>}
          </span>
        )}
      </Button>
      <span className="visually-hidden" role="status">
        {outcome && MESSAGES[outcome]}
      </span>
    </span>
  );
}
