/** One of a few options, each with what it means. */

import { Label, Radio, RadioGroup } from 'react-aria-components';
import './radio-list.css';

export interface RadioListProps<Id extends string> {
  readonly label: string;
  readonly options: readonly { readonly id: Id; readonly title: string; readonly meaning?: string }[];
  /** Null if none of them is. */
  readonly chosen: Id | null;
  readonly onChoose: (id: Id) => void;
}

export function RadioList<Id extends string>({ label, options, chosen, onChoose }: RadioListProps<Id>) {
  const choose = (value: string) => {
    const option = options.find(({ id }) => id === value);
    if (option !== undefined) onChoose(option.id);
  };
  return (
    <RadioGroup className="radio-list" value={chosen} onChange={choose}>
      <Label className="radio-list-label">{label}</Label>
      {options.map(({ id, title, meaning }) => (
        <Radio className="radio-list-option" value={id} key={id}>
          <span className="radio-list-dot" />
          <span>
            {title}
            {meaning !== undefined && <span className="radio-list-meaning">{meaning}</span>}
          </span>
        </Radio>
      ))}
    </RadioGroup>
  );
}
