/** How many records match, and what their amounts are. */

import type { Resource } from '../../../src/catalog/resource.ts';
import type { Value } from '../data/records.ts';
import { countOf, formatCompact, formatCount, formatValue } from '../format/values.ts';
import { amountsOf } from './charts.ts';
import { type Figures, STATISTICS, type Statistic } from './measures.ts';
import './key-figures.css';

const TITLES: Readonly<Record<Statistic, string>> = { avg: 'average', min: 'lowest', max: 'highest', sum: 'sum' };

/** Columns are narrow: larger numbers lose their decimals, and then all but their first digits. */
const WITHOUT_DECIMALS = 1_000;
const SHORTENED = 1_000_000;

interface KeyFiguresProps {
  readonly resource: Resource;
  /** Undefined while loading; the layout is the same. */
  readonly figures: Figures | undefined;
  readonly isOld: boolean;
}

export function KeyFigures({ resource, figures, isOld }: KeyFiguresProps) {
  const amounts = amountsOf(resource);
  return (
    <div className="key-figures" data-old={isOld || undefined}>
      <h2>{figures === undefined ? '…' : countOf(figures.total, resource.name, resource.plural)}</h2>
      {amounts.length > 0 && (
        <table className="key-figures-table">
          <caption className="visually-hidden">Amounts</caption>
          <thead>
            <tr>
              <td />
              {STATISTICS.map((statistic) => (
                <th scope="col" key={statistic}>
                  {TITLES[statistic]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {amounts.map(({ name }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {STATISTICS.map((statistic) => (
                  <Figure value={figures?.measures[`${statistic}(${name})`] ?? null} key={statistic} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

function Figure({ value }: { readonly value: Value }) {
  const full = formatValue(value, 'number');
  return <td title={full}>{typeof value === 'number' ? short(value) : full}</td>;
}

function short(value: number): string {
  if (Math.abs(value) >= SHORTENED) return formatCompact(value);
  if (Math.abs(value) >= WITHOUT_DECIMALS) return formatCount(value);
  return formatValue(Math.round(value * 100) / 100, 'number');
}
