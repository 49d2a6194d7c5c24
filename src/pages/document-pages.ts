/** Guides and decisions as pages, and the list of guides. */

import { type Document, type Documents, resolveLink } from './documents.ts';
import { textPage } from './frame.ts';
import { type Html, html } from './html.ts';
import { type Heading, renderMarkdown } from './markdown.ts';
import type { Page } from './page.ts';

export function documentPage(documents: Documents, document: Document): Page {
  const { html: content, headings } = renderMarkdown(document.text, (href) => resolveLink(documents, document, href));
  return textPage({ title: document.title, content, contents: contentsOf(headings) });
}

function contentsOf(headings: readonly Heading[]): Html {
  const listed = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (listed.length < 2) return html``;
  const items = listed.map(
    ({ depth, text, anchor }) => html`<li class="level-${depth}"><a href="#${anchor}">${text}</a></li>
`,
  );
  return html`<nav class="contents" aria-label="On this page">
<h2>On this page</h2>
<ul>
${items}</ul>
</nav>`;
}

export function guideListPage({ guides }: Documents): Page {
  const items = guides.map(
    ({ path, title, summary }) => html`<li><a href="${path}">${title}</a><p>${summary}</p></li>
`,
  );
  const content = html`<h1>Guides</h1>
<ul class="results">
${items}</ul>
<p>For every endpoint, its parameters and its responses, see the <a href="/docs">reference</a>, in which you can send requests, or
<a href="/openapi.json">openapi.json</a>. Why Stockbook is built as it is: <a href="/docs/decisions">decisions</a>.</p>`;
  return textPage({ title: 'Guides', content });
}
