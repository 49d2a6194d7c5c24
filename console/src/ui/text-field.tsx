/** A line of text with its label, and what is wrong with it. */

import {
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
  FieldError,
  Input,
  Label,
  Text,
} from 'react-aria-components';
import './text-field.css';

export interface TextFieldProps extends Omit<AriaTextFieldProps, 'className' | 'children' | 'style'> {
  readonly label: string;
  readonly description?: string;
  readonly problem?: string | undefined;
  readonly placeholder?: string;
}

export function TextField({ label, description, problem, placeholder = '', ...props }: TextFieldProps) {
  return (
    // With native validation, a form would refuse to send a corrected value.
    <AriaTextField {...props} className="text-field" validationBehavior="aria" isInvalid={problem !== undefined}>
      <Label>{label}</Label>
      <Input className="text-input" placeholder={placeholder} />
      {description && <Text slot="description">{description}</Text>}
      <FieldError>{problem}</FieldError>
    </AriaTextField>
  );
}
