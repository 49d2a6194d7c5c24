/** The dialog in which people choose by what records are grouped. The table behind it follows at once. */

import { Popover } from '../ui/popover.tsx';
import { SelectField } from '../ui/select-field.tsx';
import type { Opener } from '../ui/use-opener.ts';
import { useView } from '../view/use-view.ts';
import { facetOf, groupableFields, waysOf } from './grouping.ts';
import './group-chooser.css';

export default function GroupChooser({ opener }: { readonly opener: Opener }) {
  const { view, show } = useView();
  const { resource, group } = view;
  const chosen = group === undefined ? undefined : facetOf(resource, group)?.field;
  const ways = chosen === undefined ? [] : waysOf(chosen);
  const fields = groupableFields(resource);
  const choose = (name: string | undefined) => {
    const field = fields.find((candidate) => candidate.name === name);
    show({ group: field && waysOf(field)[0]?.facet });
  };
  return (
    <Popover opener={opener} label="Group">
      <div className="group-chooser">
        <SelectField
          label="Group by"
          none="Nothing"
          options={fields.map((field) => ({ id: field.name, title: field.label }))}
          value={chosen?.name}
          onChange={choose}
        />
        {ways.length > 1 && (
          <div className="text-field">
            <label htmlFor="group-way">How</label>
            <select
              className="select"
              id="group-way"
              value={group}
              onChange={({ target }) => show({ group: target.value })}
            >
              {(ways.some(({ facet }) => facet === group)
                ? ways
                : [...ways, { facet: group ?? '', title: group ?? '' }]
              ).map(({ facet, title }) => (
                <option value={facet} key={facet}>
                  {title}
                </option>
              ))}
            </select>
          </div>
        )}
      </div>
    </Popover>
  );
}
