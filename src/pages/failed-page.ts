/** What a browser gets in place of a page: what is wrong, and where to continue. Programs get the problem itself. */

import { resources } from '../catalog/catalog.ts';
import { nearest } from '../problem/nearest.ts';
import { PROBLEMS_PATH } from '../problem/page.ts';
import type { Problem } from '../problem/problem.ts';
import { registry } from '../problem/registry.ts';
import type { Reply } from '../reply/reply.ts';
import { textPage, withCode } from './frame.ts';
import { type Html, html } from './html.ts';

/** Pages to begin with. */
const STARTS: readonly (readonly [path: string, title: string])[] = [
  ['/', 'Console'],
  ...resources.map(
    ({ plural }) => [`/${plural}`, `${plural.charAt(0).toUpperCase()}${plural.slice(1)} in the console`] as const,
  ),
  ['/docs', 'API reference'],
  ['/docs/guides', 'Guides'],
  [PROBLEMS_PATH, 'Errors'],
];

export function failedPage({ code, detail, context }: Problem, path: string): Reply {
  const { status, title, hint } = registry[code];
  const heading = code === 'path_not_found' ? 'There is no page here' : title;
  const content = html`<h1>${heading}</h1>
<p>${detail} ${advice(path, context.suggestion ?? hint)}</p>
<ul>
${STARTS.map(([start, name]) => html`<li><a href="${start}">${name}</a></li>\n`)}</ul>
<p>Error <a href="${PROBLEMS_PATH}/${code}"><code>${code}</code></a>, status ${status}.</p>`;
  const { headers, body } = textPage({ title: heading, content }, { vary: 'accept, accept-encoding' });
  const { etag: _, ...others } = headers;
  return { status, headers: { ...others, 'cache-control': 'no-store', ...context.headers }, body, problem: code };
}

/** What helps a program is an address of the API, which no person wants to see in a browser. */
function advice(path: string, suggestion: string): Html {
  if (!suggestion.includes('/api/')) return withLinks(suggestion);
  const words = path.toLowerCase().split('/');
  const named = resources.find(({ name, plural }) => words.includes(name) || words.includes(plural));
  const paths = STARTS.map(([start]) => start);
  const meant = named === undefined ? nearest(path, paths) : `/${named.plural}`;
  return meant === undefined ? html`` : withLinks(`Did you mean ${meant}?`);
}

/** The paths in a text as links. */
function withLinks(text: string): Html {
  const parts = text.split(/((?<=^|\s)\/[\w/.-]*[\w/])/);
  return html`${parts.map((part, at) => (at % 2 === 0 ? withCode(part) : html`<a href="${part}">${part}</a>`))}`;
}
