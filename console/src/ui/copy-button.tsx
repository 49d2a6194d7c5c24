/** Copies text, and says that it did. */

import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { copyText } from './copy-text.ts';
import { Icon } from './icon.tsx';

export interface CopyButtonProps {
  /** Names the button. */
  readonly label: string;
  readonly text: string;
  /** Beside the icon. */
  readonly children?: string;
}

/** How long it says that it did, in milliseconds. */
const DURATION = 2_000;

export function CopyButton({ label, text, children }: CopyButtonProps) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), DURATION);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <>
      <Button look="quiet" aria-label={label} onPress={async () => setIsCopied(await copyText(text))}>
        <Icon name={isCopied ? 'check' : 'copy'} />
        {children}
      </Button>
      <span className="visually-hidden" role="status">
        {isCopied && 'Copied'}
      </span>
    </>
  );
}
