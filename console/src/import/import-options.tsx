/** What an import does with the rows: which records they are, what happens to others, and to rows with errors. */

import type { RecognisedFile } from '@stockbook/client';
import { canBeKey, type Resource } from '../../../src/catalog/resource.ts';
import { labelOf } from '../format/field-words.ts';
import { Checkbox } from '../ui/checkbox.tsx';
import { SelectField } from '../ui/select-field.tsx';
import type { ImportSettings } from './import-settings.ts';
import './import-options.css';

export interface ImportOptionsProps {
  readonly resource: Resource;
  readonly recognised: RecognisedFile | undefined;
  readonly settings: ImportSettings;
  readonly onSettings: (settings: ImportSettings) => void;
}

const ID = 'id';

export function ImportOptions({ resource, recognised, settings, onSettings }: ImportOptionsProps) {
  const keys = resource.fields.filter(canBeKey).filter(({ name }) => name !== ID);
  const key = settings.get('key') ?? ID;
  const isReplacing = settings.get('replace') === 'true';
  const isSkipping = settings.get('on_error') === 'skip';
  const flag = (name: 'replace' | 'on_error', value: string) => (isOn: boolean) =>
    onSettings(settings.with(name, isOn ? value : undefined));
  // Without it, nobody knows which columns there are.
  const hasKey = recognised?.columns?.some(({ field }) => field === key) ?? true;
  return (
    <div className="import-options">
      <SelectField
        label="Match rows to records by"
        none={labelOf(resource, ID)}
        options={keys.map(({ name, label }) => ({ id: name, title: label }))}
        value={settings.get('key')}
        onChange={(name) => onSettings(settings.with('key', name).with('add', undefined))}
      />
      {!hasKey && (
        <p className="import-options-warning">
          {key === ID
            ? `No column sets “${labelOf(resource, ID)}”: every row creates a ${resource.name}.`
            : `No column sets “${labelOf(resource, key)}”.`}
        </p>
      )}
      <Checkbox
        isSelected={isReplacing}
        isDisabled={isSkipping && !isReplacing}
        meaning={`The file has all ${resource.plural} that are to remain.`}
        onChange={flag('replace', 'true')}
      >
        Remove records that are not in the file
      </Checkbox>
      <Checkbox
        isSelected={isSkipping}
        isDisabled={isReplacing && !isSkipping}
        meaning={
          isReplacing
            ? 'Not together with removing: their records would be removed.'
            : 'Otherwise nothing is loaded while a row has an error.'
        }
        onChange={flag('on_error', 'skip')}
      >
        Skip rows with errors
      </Checkbox>
    </div>
  );
}
