/** Guides as HTML, and the list of them. */

import { framedText } from '../../src/pages/frame.ts';
import { type Html, html } from '../../src/pages/html.ts';
import { type Guide, resolveLink } from './documents.ts';
import { type Heading, renderMarkdown } from './markdown.ts';

export function guidePage(guides: readonly Guide[], { title, text }: Guide): string {
  const { html: content, headings } = renderMarkdown(text, (href) => resolveLink(guides, href));
  return framedText({ title, content, contents: contentsOf(headings) });
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

export function guideListPage(guides: readonly Guide[]): string {
  const items = guides.map(
    ({ path, title, summary }) => html`<li><a href="${path}">${title}</a><p>${summary}</p></li>
`,
  );
  const content = html`<h1>Guides</h1>
<ul class="guides">
${items}</ul>
<p>For every endpoint, its parameters and its responses, see the <a href="/docs">reference</a>, in which you can send requests, or
<a href="/openapi.json">openapi.json</a>.</p>`;
  return framedText({ title: 'Guides', content });
}
