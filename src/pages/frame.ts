/** What all pages have in common: the head, the header with its links and the search box, and the contents beside the text. */

import { type Html, html } from './html.ts';
import { newPage, type Page } from './page.ts';
import { MAX_QUERY } from './search.ts';

export interface TextContent {
  readonly title: string;
  readonly content: Html;
  /** Links beside the content. */
  readonly contents?: Html;
  /** What is in the search box. */
  readonly query?: string;
}

export function textPage(
  { title, content, contents = html``, query }: TextContent,
  headers: Page['headers'] = {},
): Page {
  const body = html`<div class="columns">
<main id="content">
${content}
</main>
${contents}
</div>`;
  return framedPage({ title, query, head: html`<link rel="stylesheet" href="/docs/assets/docs.css">`, body }, headers);
}

export interface Framed {
  readonly title: string;
  readonly query?: string | undefined;
  readonly head: Html;
  readonly body: Html;
}

export function framedPage({ title, query = '', head, body }: Framed, headers: Page['headers']): Page {
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Stockbook</title>
<link rel="icon" href="/docs/assets/icon.svg">
<link rel="stylesheet" href="/docs/assets/frame.css">
${head}
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<nav aria-label="Documentation">
<strong>Stockbook</strong>
<a href="/">Console</a>
<a href="/docs">Reference</a>
<a href="/docs/guides">Guides</a>
<a href="/problems">Errors</a>
</nav>
<form action="/docs/search" role="search">
<input type="search" name="q" value="${query}" placeholder="Search the docs" aria-label="Search the docs" maxlength="${MAX_QUERY}" required>
<button>Search</button>
</form>
</header>
${body}
</body>
</html>
`;
  return newPage('text/html; charset=utf-8', text, headers);
}

/** Text with `code` in it, as in the registry of errors. */
export function withCode(text: string): Html {
  const parts = text.split(/`([^`]+)`/);
  return html`${parts.map((part, at) => (at % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))}`;
}
