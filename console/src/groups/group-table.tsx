/** Groups of the records that match, with how many records each has, and their amounts. A group opens its records. */

import { type KeyboardEvent, useState } from 'react';
import { Link } from 'wouter';
import type { Facet } from '../../../src/plan/plan.ts';
import type { Value } from '../data/records.ts';
import { countOf, formatCount, formatValue, roundedFrom } from '../format/values.ts';
import { useCurrency } from '../session/use-currency.ts';
import { binWords } from '../summary/bin-words.ts';
import type { GroupKey } from '../summary/facet.ts';
import { nameOfValue } from '../summary/name-of-value.ts';
import { InvalidFilter } from '../table/invalid-filter.tsx';
import { RecordTable } from '../table/record-table.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Icon } from '../ui/icon.tsx';
import { Placeholder } from '../ui/placeholder.tsx';
import { useFocusOnRecords } from '../ui/use-focus-on-records.ts';
import { checkFilter } from '../view/check-filter.ts';
import { useView } from '../view/use-view.ts';
import { hrefOf } from '../view/view.ts';
import { type GroupMeasure, type GroupOrder, measuresOf } from './group-measures.ts';
import { FEW_GROUPS, facetOf, groupOrderOf } from './grouping.ts';
import { type Groups, type Measured, useGroups } from './use-groups.ts';
import './group-table.css';

/** How many groups are listed at most, which is what the API allows. */
const MANY_GROUPS = 1_000;

export default function GroupTable({ text }: { readonly text: string }) {
  const { resource } = useView().view;
  const facet = facetOf(resource, text);
  // A link has been checked before.
  return facet === undefined ? <RecordTable /> : <TableOf facet={facet} key={text} />;
}

function TableOf({ facet }: { readonly facet: Facet }) {
  useFocusOnRecords();
  const { view, show } = useView();
  const { resource, filter } = view;
  const [limit, setLimit] = useState(FEW_GROUPS);
  const order = groupOrderOf(view, facet);
  const isValid = checkFilter(resource, filter).kind === 'valid';
  const { data, error, isPlaceholderData, refetch } = useGroups(view, facet, limit, isValid);
  if (error !== null && isValid) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined && !isValid) return <InvalidFilter />;
  // It says why there are none.
  if (data?.total === 0) return <RecordTable />;
  const measures = measuresOf(resource);
  const sortBy = (by: GroupOrder) => show({ groupOrder: by });
  return (
    <div className="group-table" data-outdated={isPlaceholderData || !isValid || undefined}>
      <table aria-label={`${resource.plural} by ${facet.field.label.toLowerCase()}`} aria-busy={data === undefined}>
        <thead>
          <tr>
            <Heading title={facet.field.label} sorts="value" order={order} onSort={sortBy} />
            <Heading title="Records" sorts="count" order={order} onSort={sortBy} />
            {measures.map(({ measure, title }) => (
              <Heading title={title} sorts={measure} order={order} onSort={sortBy} key={measure} />
            ))}
          </tr>
        </thead>
        {data === undefined ? (
          <Loading columns={measures.length + 2} />
        ) : (
          <>
            <Rows data={data} measures={measures} />
            <tfoot>
              {data.other.groups > 0 && (
                <tr className="group-table-other">
                  <th scope="row">
                    {countOf(data.other.groups, 'other group', 'other groups')}
                    {limit === FEW_GROUPS && (
                      <Button look="quiet" onPress={() => setLimit(MANY_GROUPS)}>
                        Show more
                      </Button>
                    )}
                  </th>
                  <Figures measured={data.other.measures} measures={measures} />
                </tr>
              )}
              <tr>
                <th scope="row">Total</th>
                <Figures measured={data.all} measures={measures} />
              </tr>
            </tfoot>
          </>
        )}
      </table>
    </div>
  );
}

interface HeadingProps {
  readonly title: string;
  readonly sorts: GroupOrder;
  readonly order: GroupOrder;
  readonly onSort: (by: GroupOrder) => void;
}

function Heading({ title, sorts, order, onSort }: HeadingProps) {
  const isSorted = sorts === order;
  return (
    <th scope="col" aria-sort={isSorted ? (sorts === 'value' ? 'ascending' : 'descending') : undefined}>
      <button className="group-table-sort" type="button" onClick={() => onSort(sorts)}>
        {title}
        {isSorted && <Icon name={sorts === 'value' ? 'ascending' : 'descending'} />}
      </button>
    </th>
  );
}

interface RowsProps {
  readonly data: Groups;
  readonly measures: readonly GroupMeasure[];
}

/** A link in each row, so that it can be opened in another tab; the arrow keys go from one to the next. */
function Rows({ data, measures }: RowsProps) {
  const { view, show } = useView();
  const { facet } = data.of;
  const most = Math.max(1, ...data.groups.map(({ measures: { count } }) => Number(count)));
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    const links: readonly Element[] = [...event.currentTarget.querySelectorAll('a')];
    const at = document.activeElement === null ? -1 : links.indexOf(document.activeElement);
    const next = links[at + step];
    if (!(next instanceof HTMLElement)) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <tbody onKeyDown={move}>
      {data.groups.map((group) => {
        const change = { filter: group.filter, group: undefined, groupOrder: undefined, page: 1 };
        const open = () => {
          // Selecting text does not open a group.
          if (getSelection()?.isCollapsed !== false) show(change);
        };
        return (
          <tr className="group-table-row" key={group.filter} onClick={open}>
            <th scope="row">
              <Link href={hrefOf({ ...view, ...change })} onClick={(event) => event.stopPropagation()}>
                {nameOf(group.key, facet)}
              </Link>
            </th>
            <Figures measured={group.measures} most={most} measures={measures} />
          </tr>
        );
      })}
    </tbody>
  );
}

function nameOf(key: GroupKey, { field, by }: Facet): string {
  if ('value' in key) return nameOfValue(key.value, field);
  const bin = { ...key, count: 0 };
  return binWords(by.kind === 'period' ? by.period : undefined).between(bin, bin);
}

/** What is left of the cell is for the bar. */
const NUMBER_WIDTH = '5rem';

interface FiguresProps {
  readonly measured: Measured;
  /** The number of records for which a bar would fill the cell; undefined if there is no bar. */
  readonly most?: number;
  readonly measures: readonly GroupMeasure[];
}

function Figures({ measured, most, measures }: FiguresProps) {
  const currency = useCurrency();
  const count = Number(measured['count'] ?? 0);
  return (
    <>
      <td className="group-table-count">
        {most !== undefined && (
          <span className="group-table-bar" style={{ width: `calc((100% - ${NUMBER_WIDTH}) * ${count / most})` }} />
        )}
        <span>{formatCount(count)}</span>
      </td>
      {measures.map(({ measure, decimals, isMoney }) => (
        <td title={exactOf(measured[measure])} key={measure}>
          {figureOf(measured[measure], decimals, isMoney ? currency : null)}
        </td>
      ))}
    </>
  );
}

/** With as many decimals as the field has: an average has many, of which few matter. */
function figureOf(value: Value | undefined, decimals: number | undefined, currency: string | null): string {
  if (typeof value !== 'number') return '–';
  return formatValue(decimals === undefined ? value : Number(value.toFixed(decimals)), 'number', decimals, currency);
}

function exactOf(value: Value | undefined): string | undefined {
  return typeof value === 'number' ? (roundedFrom(value, 'number') ?? String(value)) : undefined;
}

/** As many rows as most screens have. */
const LOADING_ROWS = 12;

function Loading({ columns }: { readonly columns: number }) {
  return (
    <tbody aria-hidden="true">
      {Array.from({ length: LOADING_ROWS }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no identity but their place
        <tr key={row}>
          {Array.from({ length: columns }, (__, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they have no identity but their place
            <td key={column}>
              <Placeholder />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}
