/** A product search in a web page: text, categories with their counts, pages. */

import { Stockbook, StockbookError } from '@stockbook/client';

/** No key: the server of this page adds it. */
const { products } = new Stockbook({ url: location.origin });

const form = part('form');
const [status, list, categories, more] = [part('#status'), part('#products'), part('#categories'), part('#more')];

/** A search that is still running when the next one begins is of no interest. */
let running = new AbortController();

async function search(page: number): Promise<void> {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  const input = new FormData(form instanceof HTMLFormElement ? form : undefined);
  const text = String(input.get('text') ?? '').trim();
  const category = input.get('category');

  let selected = products.where('active', '=', true);
  if (text !== '') selected = selected.and('name', '*', text);
  // The value of a category that no product has is the word null.
  const shown = category ? selected.and('categ_id', '=', JSON.parse(String(category))) : selected;
  const [found, { total, facets }] = await Promise.all([
    products.list({ filter: shown, fields: ['id', 'name', 'list_price'], sort: ['name'], limit: 20, page, signal }),
    products.aggregate({ filter: selected, facets: ['categ_id'], limit: 100, signal }),
  ]);

  const items = found.data.map(({ name, list_price }) => element('li', `${name}: ${list_price.toFixed(2)}`));
  if (page === 1) list.replaceChildren(...items);
  else list.append(...items);
  categories.replaceChildren(
    option('', `All categories (${total})`, category),
    ...facets.categ_id.groups.map(({ value, measures }) =>
      option(String(value), `Category ${value ?? 'none'} (${measures.count})`, category),
    ),
  );
  show(found.meta.total === 0 ? 'Nothing found.' : `${found.meta.total} products`);
  more.replaceChildren(...(found.pagination.nextPage === null ? [] : [moreButton(found.pagination.nextPage)]));
}

function searchAndReport(page: number): void {
  search(page).catch((error: unknown) => {
    if (error instanceof StockbookError) show(`The search failed: ${error.detail}`);
  });
}

function part(selector: string): Element {
  const found = document.querySelector(selector);
  if (found === null) throw new Error(`The page has no ${selector}.`);
  return found;
}

function show(text: string): void {
  status.textContent = text;
}

function moreButton(page: number): HTMLElement {
  const button = element('button', 'More');
  button.onclick = () => searchAndReport(page);
  return button;
}

function option(value: string, text: string, selected: FormDataEntryValue | null): HTMLOptionElement {
  return new Option(text, value, false, value === selected);
}

function element(name: string, text: string): HTMLElement {
  const created = document.createElement(name);
  created.textContent = text;
  return created;
}

form.addEventListener('input', () => searchAndReport(1));
form.addEventListener('submit', (event) => event.preventDefault());
searchAndReport(1);
