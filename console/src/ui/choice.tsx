/** One of a few options, all of which are visible. */

import { ToggleButton, ToggleButtonGroup } from 'react-aria-components';
import './choice.css';

export interface ChoiceProps<Id extends string> {
  readonly label: string;
  readonly options: readonly { readonly id: Id; readonly title: string }[];
  readonly chosen: Id;
  readonly isDisabled?: boolean;
  readonly onChoose: (id: Id) => void;
}

export function Choice<Id extends string>({ label, options, chosen, isDisabled = false, onChoose }: ChoiceProps<Id>) {
  return (
    <ToggleButtonGroup
      className="choice"
      aria-label={label}
      selectionMode="single"
      disallowEmptySelection
      isDisabled={isDisabled}
      selectedKeys={[chosen]}
      onSelectionChange={(keys) => {
        const option = options.find(({ id }) => keys.has(id));
        if (option !== undefined) onChoose(option.id);
      }}
    >
      {options.map(({ id, title }) => (
        <ToggleButton className="choice-option" id={id} key={id}>
          {title}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
