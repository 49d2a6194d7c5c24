/** Copies text. */

import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { confirmDone } from './confirmation.ts';
import { copyText } from './copy-text.ts';
import { Icon, type IconName } from './icon.tsx';

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

/** How long the button shows the outcome, in milliseconds. */
const SHOWN_FOR = 2_000;

export function CopyButton({ text, label, isIcon = false }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<Outcome>();
  useEffect(() => {
    if (outcome === undefined) return undefined;
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_FOR);
    return () => clearTimeout(timer);
  }, [outcome]);
  return (
    <Button
      look={isIcon ? 'quiet' : 'plain'}
      {...(isIcon && { 'aria-label': label })}
      onPress={async () => {
        const copied = (await copyText(text())) ? 'copied' : 'refused';
        setOutcome(copied);
        confirmDone(MESSAGES[copied]);
      }}
    >
      <Icon name={outcome === undefined ? 'copy' : ICONS[outcome]} />
      {!isIcon && label}
    </Button>
  );
}
