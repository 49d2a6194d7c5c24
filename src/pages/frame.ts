/** What all pages have in common: the head, the header with its links, and the contents beside the text. */

import { type Html, html } from './html.ts';
import { HTML, newPage, type Page } from './page.ts';

export interface TextContent {
  readonly title: string;
  readonly content: Html;
  /** Links beside the content. */
  readonly contents?: Html;
}

export function textPage(content: TextContent, headers: Page['headers'] = {}): Page {
  return newPage(HTML, framedText(content), headers);
}

/** The whole page in HTML. */
export function framedText({ title, content, contents = html`` }: TextContent): string {
  const body = html`<div class="columns">
<main id="content">
${content}
</main>
${contents}
</div>`;
  return framed({ title, head: html`<link rel="stylesheet" href="/docs/assets/docs.css">`, body });
}

export interface Framed {
  readonly title: string;
  readonly head: Html;
  readonly body: Html;
}

export function framed({ title, head, body }: Framed): string {
  return html`<!doctype html>
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
</header>
${body}
</body>
</html>
`.text;
}

/** Text with `code` in it, as in the registry of errors. */
export function withCode(text: string): Html {
  const parts = text.split(/`([^`]+)`/);
  return html`${parts.map((part, at) => (at % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))}`;
}
