/** A request as a program with `@stockbook/client`. */

import { escapeInvisible } from './escape-invisible.ts';
import type { ListRequest } from './list-request.ts';

export function asTypeScript(request: ListRequest): string {
  const { origin, resource, scope, q, filter, fields, sort, page, limit } = request;
  const options = [
    ...(q === undefined ? [] : [`q: ${quoted(q)}`]),
    ...(filter === undefined ? [] : [`filter: ${quoted(filter)}`]),
    `fields: [${fields.map(quoted).join(', ')}]`,
    ...(sort.length === 0 ? [] : [`sort: ${sort === 'relevance' ? quoted(sort) : `[${sort.map(quoted).join(', ')}]`}`]),
    ...(page === undefined ? [] : [`page: ${page}`]),
    ...(limit === undefined ? [] : [`limit: ${limit}`]),
  ];
  const query = `{\n${options.map((option) => `  ${option},\n`).join('')}}`;
  return `import { Stockbook } from '@stockbook/client';

const stockbook = new Stockbook({ url: ${quoted(origin)}, key: process.env.KEY });
${
  scope === 'page'
    ? `const page = await stockbook.${resource.plural}.list(${query});
console.log(page.meta.total, page.data);
`
    : `const records = stockbook.${resource.plural}.stream(${query});
for await (const record of records) console.log(record);
`
}`;
}

/** Characters that a literal in single quotes would need escapes for. */
const ESCAPED = /['\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

function quoted(text: string): string {
  return ESCAPED.test(text) ? escapeInvisible(JSON.stringify(text), (hex) => `\\u{${hex}}`) : `'${text}'`;
}
