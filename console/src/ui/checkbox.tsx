/** A box that is checked or not, with what that means. */

import { useId } from 'react';
import { Checkbox as AriaCheckbox, type CheckboxProps as AriaCheckboxProps } from 'react-aria-components';
import { Icon } from './icon.tsx';
import './checkbox.css';

export interface CheckboxProps extends Omit<AriaCheckboxProps, 'className' | 'children' | 'style'> {
  readonly children: string;
  readonly meaning?: string;
}

export function Checkbox({ children, meaning, ...props }: CheckboxProps) {
  const meaningId = useId();
  return (
    <div>
      <AriaCheckbox {...props} className="checkbox" {...(meaning !== undefined && { 'aria-describedby': meaningId })}>
        <span className="checkbox-box">
          <Icon name="check" />
        </span>
        {children}
      </AriaCheckbox>
      {meaning !== undefined && (
        <p className="checkbox-meaning" id={meaningId}>
          {meaning}
        </p>
      )}
    </div>
  );
}
