/** Copies text, and says that it did. */

import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { copyText } from './copy-text.ts';
import { Icon, type IconName } from './icon.tsx';
import './copy-button.css';

export interface CopyButtonProps {
  /** Called when it is needed: the text may be long. */
  readonly text: () => string;
  /** Says what is copied. */
  readonly label: string;
  /** Beside the icon; without, the button is a quiet one. */
  readonly children?: string;
}

type Outcome = 'copied' | 'refused';

const MESSAGES: Readonly<Record<Outcome, string>> = {
  copied: 'Copied',
  refused: 'Copying was blocked',
};

const ICONS: Readonly<Record<Outcome, IconName>> = { copied: 'check', refused: 'warning' };

/** How long it says so, in milliseconds. */
const SHOWN_FOR = 2_000;

export function CopyButton({ text, label, children }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<Outcome>();
  useEffect(() => {
    if (outcome === undefined) return undefined;
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_FOR);
    return () => clearTimeout(timer);
  }, [outcome]);
  return (
    <span className="copy-button">
      <Button
        look={children === undefined ? 'quiet' : 'plain'}
        aria-label={label}
        onPress={async () => {
          setOutcome((await copyText(text())) ? 'copied' : 'refused');
        }}
      >
        <Icon name={outcome === undefined ? 'copy' : ICONS[outcome]} />
        {children && outcome ? MESSAGES[outcome] : children}
      </Button>
      <span className="visually-hidden" role="status">
        {outcome && MESSAGES[outcome]}
      </span>
    </span>
  );
}
