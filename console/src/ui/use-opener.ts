/** Whether something is open beside a button, and what the button needs to open it. */

import { type RefObject, useCallback, useId, useRef, useState } from 'react';
import type { ButtonProps } from 'react-aria-components';

export interface Opener {
  readonly isOpen: boolean;
  readonly open: () => void;
  readonly close: () => void;
  /** The id of what is opened. */
  readonly id: string;
  readonly trigger: RefObject<HTMLButtonElement | null>;
  /** The button's properties. */
  readonly button: Pick<ButtonProps, 'aria-haspopup' | 'aria-expanded' | 'aria-controls' | 'onPress' | 'onKeyDown'> & {
    readonly ref: RefObject<HTMLButtonElement | null>;
  };
}

/** Other than React Aria's triggers, it does not bring along what is opened, which can be loaded later. */
export function useOpener(kind: 'dialog' | 'menu'): Opener {
  const [isOpen, setOpen] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const id = useId();
  const open = useCallback(() => setOpen(true), []);
  const close = useCallback(() => setOpen(false), []);
  return {
    isOpen,
    open,
    close,
    id,
    trigger,
    button: {
      ref: trigger,
      'aria-haspopup': kind,
      'aria-expanded': isOpen,
      ...(isOpen && { 'aria-controls': id }),
      onPress: open,
      ...(kind === 'menu' && { onKeyDown: ({ key }) => key === 'ArrowDown' && open() }),
    },
  };
}
