/** The results of a search. */

import { textPage } from './frame.ts';
import { type Html, html } from './html.ts';
import type { Page } from './page.ts';
import { type Entry, excerpt, type Found, queryWords } from './search.ts';

export function searchPage(query: string, found: Found): Page {
  const words = queryWords(query);
  const content = html`<h1>Search</h1>
${words.length === 0 ? EMPTY : found.total === 0 ? noResults(query, found.suggestion) : results(words, found)}`;
  return textPage({ title: words.length === 0 ? 'Search' : `${query} · Search`, content, query });
}

const EMPTY = html`<p>Search the guides, the errors and the decisions: for a parameter, a header, an error code, a setting, or any words. You can also
browse the <a href="/docs/guides">guides</a> and the <a href="/problems">errors</a>.</p>`;

function noResults(query: string, suggestion: string | undefined): Html {
  const meant =
    suggestion === undefined
      ? html`Try fewer or other words`
      : html`Did you mean <a href="/docs/search?q=${encodeURIComponent(suggestion)}">${suggestion}</a>? You can also try other words`;
  return html`<p>Nothing contains all of: <strong>${query}</strong></p>
<p>${meant}, or browse the <a href="/docs/guides">guides</a> and the <a href="/problems">errors</a>.</p>`;
}

function results(words: readonly string[], { entries, total }: Found): Html {
  const count = total === 1 ? '1 result' : `${total} results`;
  const shown = entries.length < total ? `; these are the best ${entries.length}. More words narrow the search.` : '';
  return html`<p>${count}${shown}</p>
<ol class="results">
${entries.map((entry) => result(entry, words))}</ol>`;
}

function result({ path, document, heading, text }: Entry, words: readonly string[]): Html {
  const where = document === heading ? '' : html`<span class="where">${document}</span>`;
  return html`<li><a href="${path}">${marked(heading, words)}</a> ${where}<p>${marked(text, words)}</p></li>
`;
}

function marked(text: string, words: readonly string[]): readonly Html[] {
  return excerpt(text, words).map((part, at) => (at % 2 === 0 ? html`${part}` : html`<mark>${part}</mark>`));
}
