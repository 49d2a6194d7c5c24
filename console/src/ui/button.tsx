/** Buttons: the one main action, ordinary ones, and those without a frame. */

import type { ReactNode, Ref } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import './button.css';

export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'children' | 'style'> {
  readonly look?: 'primary' | 'plain' | 'quiet';
  readonly children: ReactNode;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({ look = 'plain', children, ...props }: ButtonProps) {
  return (
    <AriaButton {...props} className={`button button-${look}`}>
      {children}
    </AriaButton>
  );
}
