/** Copies text, and says that it did. */

import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { copyText } from './copy-text.ts';
import { Icon } from './icon.tsx';
import './copy-button.css';

export interface CopyButtonProps {
  /** Called when it is needed: the text may be long. */
  readonly text: () => string;
  /** Says what is copied. */
  readonly label: string;
}

type Outcome = 'copied' | 'refused';

const MESSAGES: Readonly<Record<Outcome, string>> = {
  copied: 'Copied',
  refused: 'The browser does not allow it',
};

/** How long it says so, in milliseconds. */
const SHOWN_FOR = 2_000;

export function CopyButton({ text, label }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<Outcome>();
  useEffect(() => {
    if (outcome === undefined) return undefined;
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_FOR);
    return () => clearTimeout(timer);
  }, [outcome]);
  return (
    <span className="copy-button">
      <Button
        aria-label={label}
        onPress={async () => {
          setOutcome((await copyText(text())) ? 'copied' : 'refused');
        }}
      >
        <Icon name={outcome === 'copied' ? 'check' : 'copy'} />
        {outcome === undefined ? 'Copy' : MESSAGES[outcome]}
      </Button>
      <span className="visually-hidden" role="status">
        {outcome && MESSAGES[outcome]}
      </span>
    </span>
  );
}
