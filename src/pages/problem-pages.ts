/** The pages about errors: HTML for browsers, text for curl and other programs. */

import { PROBLEMS_PATH, problemListText, problemText } from '../problem/page.ts';
import { type ProblemKind, registry } from '../problem/registry.ts';
import type { PageFormat } from '../request/accept.ts';
import { textPage, withCode } from './frame.ts';
import { type Html, html } from './html.ts';
import { kept, newPage, type Page } from './page.ts';

/** Besides the form, the coding depends on the request. */
const VARY = { vary: 'accept, accept-encoding' };

/** By path. */
export function problemPages(format: PageFormat): ReadonlyMap<string, Page> {
  const rows = Object.entries<ProblemKind>(registry);
  const newProblemPage = (title: string, text: string, content: Html) =>
    kept(format === 'text' ? newPage('text/plain; charset=utf-8', text, VARY) : textPage({ title, content }, VARY));
  return new Map([
    [PROBLEMS_PATH, newProblemPage('Errors', problemListText(), listContent(rows))],
    ...rows.map(
      ([code, kind]) =>
        [`${PROBLEMS_PATH}/${code}`, newProblemPage(kind.title, problemText(code, kind), content(code, kind))] as const,
    ),
  ]);
}

function content(code: string, { status, title, hint }: ProblemKind): Html {
  return html`<h1>${title}</h1>
<dl>
<dt>Code</dt><dd><code>${code}</code></dd>
<dt>Status</dt><dd>${status}</dd>
</dl>
<h2>How to fix it</h2>
<p>${withCode(hint)}</p>
<p>The <code>detail</code> and the <code>suggestion</code> of a response say what is wrong with its request.</p>
<p><a href="${PROBLEMS_PATH}">All errors</a> · <a href="/docs/guides/errors">Guide to errors</a></p>`;
}

function listContent(rows: readonly (readonly [string, ProblemKind])[]): Html {
  const items = rows.map(
    ([code, { status, title }]) =>
      html`<tr><td><a href="${PROBLEMS_PATH}/${code}"><code>${code}</code></a></td><td>${status}</td><td>${title}</td></tr>
`,
  );
  return html`<h1>Errors</h1>
<p>Every error that the API responds with, in the order in which a request can meet them. The
<a href="/docs/guides/errors">guide to errors</a> explains what a response contains.</p>
<div class="table" tabindex="0"><table>
<thead>
<tr><th>code</th><th>status</th><th>title</th></tr>
</thead>
<tbody>
${items}</tbody>
</table></div>`;
}
