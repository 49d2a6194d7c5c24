/** The first records of a file as they would be stored. What the file sets comes first. */

import type { PreviewedRecord } from '@stockbook/client';
import type { Resource } from '../../../src/catalog/resource.ts';
import { isNumeric } from '../../../src/catalog/value-types.ts';
import { FormattedValue } from '../format/formatted-value.tsx';
import './record-preview.css';

export interface RecordPreviewProps {
  readonly resource: Resource;
  readonly records: readonly PreviewedRecord[];
  /** The fields that the file sets. */
  readonly set: readonly string[];
}

export function RecordPreview({ resource, records, set }: RecordPreviewProps) {
  const held = resource.fields.filter(({ name }) => records.some((record) => record[name] !== undefined));
  const isSet = (name: string) => set.includes(name);
  const fields = [...held.filter(({ name }) => isSet(name)), ...held.filter(({ name }) => !isSet(name))];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and with the keyboard only if it can have the focus
    <section className="record-preview" aria-label="Preview" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {fields.map((field) => (
              <th
                scope="col"
                data-set={isSet(field.name) || undefined}
                data-numeric={isNumeric(field) || undefined}
                key={field.name}
              >
                {field.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {records.map((record, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: new records have no ids
            <tr key={index}>
              {fields.map((field) => (
                <td
                  data-set={isSet(field.name) || undefined}
                  data-numeric={isNumeric(field) || undefined}
                  key={field.name}
                >
                  {field.name === 'id' && record['id'] == null ? (
                    'new'
                  ) : (
                    <FormattedValue value={record[field.name] ?? null} field={field} />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
