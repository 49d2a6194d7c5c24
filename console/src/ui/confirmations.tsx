/** At the bottom: what was done a moment ago, and notices with which it can be undone. */

import type { ReactNode } from 'react';
import { useConfirmation } from './confirmation.ts';
import './confirmations.css';

export interface ConfirmationsProps {
  /** Notices. */
  readonly children: ReactNode;
}

export default function Confirmations({ children }: ConfirmationsProps) {
  const confirmation = useConfirmation();
  return (
    <div className="confirmations">
      {children}
      <div className={confirmation?.isShown === false ? 'visually-hidden' : 'confirmation'} role="status">
        {confirmation !== undefined && <p key={confirmation.number}>{confirmation.text}</p>}
      </div>
    </div>
  );
}
