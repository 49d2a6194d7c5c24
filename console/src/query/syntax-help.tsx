/** A summary of the filter syntax. */

import { type Operator, operators } from '@stockbook/client/filter';
import type { Resource } from '../../../src/catalog/resource.ts';
import { valueTypes } from '../../../src/catalog/value-types.ts';
import { timeZone } from '../format/local-time.ts';
import { wordFor } from '../format/word-for.ts';
import { Popover } from '../ui/popover.tsx';
import type { Opener } from '../ui/use-opener.ts';
import './syntax-help.css';

export interface SyntaxHelpProps {
  readonly resource: Resource;
  readonly opener: Opener;
}

export default function SyntaxHelp({ resource, opener }: SyntaxHelpProps) {
  return (
    <Popover opener={opener} label="Filter syntax">
      <div className="syntax-help">
        <p>
          A condition is a field, an operator and a value. Join conditions with <code>&amp;</code> (and) and{' '}
          <code>|</code> (or); <code>&amp;</code> binds tighter. Group them with parentheses. Quote values that contain{' '}
          <code>&amp;</code> or <code>|</code>: <code>name="A &amp; B"</code>.
        </p>
        <table className="syntax-help-operators">
          <thead>
            <tr>
              <th scope="col">Operator</th>
              <th scope="col">Meaning</th>
              <th scope="col">Example</th>
            </tr>
          </thead>
          <tbody>
            {usedOperators(resource).map(({ symbol, title, example }) => (
              <tr key={symbol}>
                <td>
                  <code>{symbol}</code>
                </td>
                <td>{title}</td>
                <td>
                  <code>{example}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        <p>
          <code>null</code> means {wordFor(null)}: <code>default_code=null</code>. Numbers have a decimal point:{' '}
          <code>list_price&gt;=1500.50</code>. Days and times are in UTC: <code>write_date&gt;=2026-01-31</code>. The
          dialog for a condition reads both as your browser shows them, in {timeZone()}.
        </p>
        <p>
          Press Tab to complete, and Enter to apply. <a href="/docs/guides/filter">The filter language</a>
        </p>
      </div>
    </Popover>
  );
}

/** The operators that at least one field of the resource accepts. */
function usedOperators(resource: Resource): readonly Operator[] {
  const used = new Set(resource.fields.map(({ type }) => valueTypes[type].operatorClass));
  return Object.values<Operator>(operators).filter(({ classes }) => classes.some((candidate) => used.has(candidate)));
}
