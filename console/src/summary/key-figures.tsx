/** How many records match, and what their amounts are. */

import type { UseQueryResult } from '@tanstack/react-query';
import type { Amount, Field, Resource } from '../../../src/catalog/resource.ts';
import { describeError } from '../data/describe-error.ts';
import type { Value } from '../data/records.ts';
import { useList } from '../data/use-list.ts';
import { countOf, formatField, formatValue, roundedFrom } from '../format/values.ts';
import { useCurrency } from '../session/use-currency.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { Placeholder } from '../ui/placeholder.tsx';
import { sumOf } from './charts.ts';
import { type Figures, measuredAmounts, STATISTICS, type Statistic } from './measures.ts';
import './key-figures.css';

const TITLES: Readonly<Record<Statistic, string>> = { avg: 'average', min: 'lowest', max: 'highest', sum: 'sum' };

/** An average has many decimals, of which few matter. */
const AVERAGE_DECIMALS = 2;

interface KeyFiguresProps {
  readonly resource: Resource;
  /** While they are loading, the layout is the same. */
  readonly loading: UseQueryResult<Figures>;
}

export function KeyFigures({ resource, loading }: KeyFiguresProps) {
  const { data: figures, isPlaceholderData } = loading;
  const amounts = measuredAmounts(resource);
  return (
    <div className="key-figures" data-old={isPlaceholderData || undefined} aria-busy={figures === undefined}>
      <h2 className="key-figures-heading">
        {figures === undefined ? <Loading loading={loading} /> : countOf(figures.total, resource.name, resource.plural)}
      </h2>
      {amounts.length > 0 && (
        <table className="key-figures-table">
          <caption className="visually-hidden">Amounts</caption>
          <thead>
            <tr>
              <td />
              {amounts.map(({ name, label }) => (
                <th scope="col" key={name}>
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {STATISTICS.map((statistic) => (
              <tr key={statistic}>
                <th scope="row">{TITLES[statistic]}</th>
                {amounts.map((field) => (
                  <Figure
                    field={field}
                    statistic={statistic}
                    value={figures?.measures[`${statistic}(${field.name})`]}
                    key={field.name}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {(resource.amounts ?? []).map((amount) => (
        <p className="key-figures-amount" key={amount.label}>
          {amount.label} <AmountFigure amount={amount} value={figures?.measures[sumOf(amount)]} />
        </p>
      ))}
    </div>
  );
}

/** Says what delays the figures, unless it delays the table as well, which says so. */
function Loading({ loading }: Pick<KeyFiguresProps, 'loading'>) {
  const trouble = troubleOf(loading);
  if (troubleOf(useList()) !== undefined || trouble === undefined)
    return (
      <>
        <Placeholder />
        <span className="visually-hidden">Loading…</span>
      </>
    );
  return (
    <>
      <Icon name={trouble.icon} />
      <span className="key-figures-trouble" title={trouble.text} role="status">
        {trouble.text}
      </span>
    </>
  );
}

interface Trouble {
  readonly icon: IconName;
  readonly text: string;
}

function troubleOf({ failureReason, fetchStatus }: UseQueryResult<unknown>): Trouble | undefined {
  if (fetchStatus === 'paused') return { icon: 'offline', text: 'You are offline.' };
  if (failureReason === null) return undefined;
  const { icon, title } = describeError(failureReason);
  return { icon, text: `${title}. Trying again…` };
}

interface AmountFigureProps {
  readonly amount: Amount;
  readonly value: Value | undefined;
}

function AmountFigure({ amount, value }: AmountFigureProps) {
  const currency = useCurrency();
  return (
    <strong className="key-figures-figure">
      {value === undefined ? (
        <Placeholder />
      ) : typeof value === 'number' ? (
        formatValue(value, 'number', amount.decimals, amount.kind === 'money' ? currency : null)
      ) : (
        <NoFigure />
      )}
    </strong>
  );
}

interface FigureProps {
  readonly field: Field;
  readonly statistic: Statistic;
  /** Undefined while it is loading, and null if no record has a value. */
  readonly value: Value | undefined;
}

function Figure({ field, statistic, value }: FigureProps) {
  const shown = typeof value === 'number' && statistic === 'avg' ? shortened(value) : value;
  const currency = useCurrency();
  const exact = shown === value ? roundedFrom(value, 'number') : String(value);
  return (
    <td title={exact}>
      {/* It is as wide before the figure is there. */}
      <span className="key-figures-figure">
        {shown === undefined ? (
          <Placeholder />
        ) : typeof shown === 'number' ? (
          formatField(shown, field, currency)
        ) : (
          <NoFigure />
        )}
      </span>
    </td>
  );
}

function NoFigure() {
  return (
    <span className="key-figures-none">
      <span aria-hidden="true">–</span>
      <span className="visually-hidden">none</span>
    </span>
  );
}

/** Small averages keep their digits. */
function shortened(average: number): number {
  return Math.abs(average) < 1 ? average : Number(average.toFixed(AVERAGE_DECIMALS));
}
