/** Shows the page number, and goes to any other page. */

import { type FormEvent, useEffect, useState } from 'react';
import { useList } from '../data/use-list.ts';
import { formatCount } from '../format/values.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { useView } from '../view/use-view.ts';
import { PAGE_SIZES } from '../view/view.ts';
import './pager.css';

export function Pager() {
  const { view, show } = useView();
  const { data } = useList();
  const { page, limit } = view;
  const last = Math.max(1, data?.pagination.totalPages ?? page);
  const goTo = (target: number) => show({ page: target });
  return (
    <nav className="pager" aria-label="Pages">
      <Button look="quiet" aria-label="First page" isDisabled={page === 1} onPress={() => goTo(1)}>
        <Icon name="first" />
      </Button>
      <Button
        look="quiet"
        aria-label="Previous page"
        isDisabled={page === 1}
        onPress={() => goTo(Math.min(page - 1, last))}
      >
        <Icon name="left" />
      </Button>
      <PageField page={page} last={last} onGo={goTo} />
      <span className="pager-last">of {data === undefined ? '…' : formatCount(last)}</span>
      <Button look="quiet" aria-label="Next page" isDisabled={page >= last} onPress={() => goTo(page + 1)}>
        <Icon name="right" />
      </Button>
      <Button look="quiet" aria-label="Last page" isDisabled={page === last} onPress={() => goTo(last)}>
        <Icon name="last" />
      </Button>
      <select
        className="pager-size"
        aria-label="Rows per page"
        value={limit}
        onChange={(event) => show({ limit: Number(event.target.value) })}
      >
        {sizesWith(limit).map((size) => (
          <option value={size} key={size}>
            {formatCount(size)} rows
          </option>
        ))}
      </select>
    </nav>
  );
}

function sizesWith(limit: number): readonly number[] {
  return [...new Set([...PAGE_SIZES, limit])].sort((a, b) => a - b);
}

interface PageFieldProps {
  readonly page: number;
  readonly last: number;
  readonly onGo: (page: number) => void;
}

/** A larger number goes to the last page. */
function PageField({ page, last, onGo }: PageFieldProps) {
  const [text, setText] = useState(String(page));
  useEffect(() => setText(String(page)), [page]);
  const go = (event?: FormEvent) => {
    event?.preventDefault();
    const target = Math.min(Number(text.replaceAll(/\D/g, '')), last);
    if (target >= 1 && target !== page) onGo(target);
    else setText(String(page));
  };
  return (
    <form onSubmit={go}>
      <input
        className="text-input pager-page"
        aria-label="Page"
        inputMode="numeric"
        autoComplete="off"
        value={text}
        size={Math.max(3, text.length)}
        onChange={(event) => setText(event.target.value)}
        onFocus={(event) => event.target.select()}
        onBlur={() => go()}
      />
    </form>
  );
}
