/** How a file is read: what was recognised, and settings for what was recognised wrongly. */

import type { RecognisedFile } from '@stockbook/client';
import { Button as AriaButton, Disclosure, DisclosurePanel } from 'react-aria-components';
import { timeZone } from '../format/local-time.ts';
import { Checkbox } from '../ui/checkbox.tsx';
import { Icon } from '../ui/icon.tsx';
import { LineField } from '../ui/line-field.tsx';
import { SelectField } from '../ui/select-field.tsx';
import type { ImportSettings } from './import-settings.ts';
import './file-reading.css';

export interface FileReadingProps {
  readonly recognised: RecognisedFile | undefined;
  readonly settings: ImportSettings;
  readonly onSettings: (settings: ImportSettings) => void;
}

const FORMATS: Readonly<Record<string, string>> = {
  csv: 'CSV',
  tsv: 'TSV',
  xlsx: 'Excel workbook',
  json: 'JSON',
  ndjson: 'NDJSON',
};

const DELIMITERS: readonly { readonly id: string; readonly title: string }[] = [
  { id: ',', title: 'comma' },
  { id: ';', title: 'semicolon' },
  { id: 'tab', title: 'tab' },
  { id: '|', title: 'vertical bar' },
];

const DECIMALS: readonly { readonly id: string; readonly title: string }[] = [
  { id: '.', title: 'point, as in 1299.50' },
  { id: ',', title: 'comma, as in 1299,50' },
];

const EMPTY_TEXTS = [
  { id: 'null', title: 'no value' },
  { id: 'keep', title: 'the empty text' },
] as const;

/** Those that files have, by where they come from. */
const ENCODINGS = [
  { id: 'utf-8', title: 'UTF-8' },
  { id: 'windows-1252', title: 'Windows-1252, Western European' },
  { id: 'iso-8859-15', title: 'ISO-8859-15, Western European' },
  { id: 'windows-1250', title: 'Windows-1250, Central European' },
  { id: 'windows-1251', title: 'Windows-1251, Cyrillic' },
  { id: 'utf-16le', title: 'UTF-16' },
] as const;

export function FileReading({ recognised, settings, onSettings }: FileReadingProps) {
  const facts = recognised === undefined ? [] : factsOf(recognised);
  const isText = recognised?.sheet === undefined;
  const field = (name: Parameters<ImportSettings['with']>[0]) => ({
    value: settings.get(name),
    onChange: (value: string | undefined) => onSettings(settings.with(name, value)),
  });
  return (
    <div className="file-reading">
      {facts.length > 0 && (
        <dl className="file-reading-facts">
          {facts.map(({ title, fact }) => (
            <div key={title}>
              <dt>{title}</dt>
              <dd>{fact}</dd>
            </div>
          ))}
        </dl>
      )}
      {recognised?.notes?.map((note) => (
        <p className="file-reading-note" key={note}>
          {note}
        </p>
      ))}
      <Disclosure className="file-reading-more">
        <AriaButton className="file-reading-toggle" slot="trigger">
          <Icon name="right" />
          Read it differently
        </AriaButton>
        <DisclosurePanel>
          <div className="file-reading-settings">
            {isText && <SelectField label="Encoding" options={ENCODINGS} {...field('encoding')} />}
            {isText && <SelectField label="Columns are separated by" options={DELIMITERS} {...field('delimiter')} />}
            {!isText && <LineField label="Sheet" placeholder={recognised?.sheet ?? ''} {...field('sheet')} />}
            <LineField
              label="Names of the columns in row"
              placeholder={String(recognised?.headerRow ?? 1)}
              {...field('header_row')}
            />
            <SelectField label="Decimal sign" options={DECIMALS} {...field('decimal')} />
            <LineField label="Dates" placeholder={recognised?.dates ?? 'DD.MM.YYYY'} {...field('dates')} />
            <LineField
              label="Time zone of times without one"
              placeholder={recognised?.timezone ?? 'UTC'}
              suggestions={[timeZone(), 'UTC']}
              {...field('timezone')}
            />
            <SelectField label="Empty text is" options={EMPTY_TEXTS} {...field('empty_text')} />
            <Checkbox
              isSelected={settings.get('ignore_unknown') === 'true'}
              onChange={(isOn) => onSettings(settings.with('ignore_unknown', isOn ? 'true' : undefined))}
            >
              Ignore columns that are not fields
            </Checkbox>
            <Checkbox
              isSelected={settings.get('lenient') === 'true'}
              onChange={(isOn) => onSettings(settings.with('lenient', isOn ? 'true' : undefined))}
            >
              Accept currencies, percent signs, and -, NULL or #N/A for no value
            </Checkbox>
          </div>
        </DisclosurePanel>
      </Disclosure>
    </div>
  );
}

function factsOf(recognised: RecognisedFile): readonly { readonly title: string; readonly fact: string }[] {
  const { format, encoding, delimiter, decimal, dates, timezone, origin, sheet } = recognised;
  const facts = [
    { title: 'Format', fact: FORMATS[format] ?? format },
    { title: 'Exported from', fact: origin === 'odoo' ? 'Odoo' : origin },
    { title: 'Sheet', fact: sheet },
    { title: 'Encoding', fact: encoding?.toUpperCase() },
    {
      title: 'Columns separated by',
      fact: DELIMITERS.find(({ id }) => id === (delimiter === '\t' ? 'tab' : delimiter))?.title ?? delimiter,
    },
    { title: 'Decimal sign', fact: DECIMALS.find(({ id }) => id === decimal)?.title.replace(/,.*/, '') ?? decimal },
    { title: 'Dates', fact: dates },
    { title: 'Time zone', fact: timezone },
  ];
  return facts.flatMap(({ title, fact }) => (fact === undefined ? [] : { title, fact }));
}
