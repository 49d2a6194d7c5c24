/** A request as a program with `@stockbook/client`. */

import type { ApiRequest } from './api-request.ts';
import { escapeInvisible } from './escape-invisible.ts';

export function asTypeScript({ origin, resource, result, query }: ApiRequest): string {
  const options = Object.entries(query).filter(([, value]) => value !== undefined);
  const argument = `{\n${options.map(([name, value]) => `  ${name}: ${literal(value)},\n`).join('')}}`;
  return `import { Stockbook } from '@stockbook/client';

const stockbook = new Stockbook({ url: ${literal(origin)}, key: process.env.KEY });
${READING[result](`stockbook.${resource.plural}`, argument)}`;
}

const READING: Readonly<Record<ApiRequest['result'], (records: string, query: string) => string>> = {
  page: (records, query) => `const page = await ${records}.list(${query});
console.log(page.meta.total, page.data);
`,
  all: (records, query) => `const records = ${records}.stream(${query});
for await (const record of records) console.log(record);
`,
  groups: (records, query) => `const { total, facets } = await ${records}.aggregate(${query});
for (const { groups } of Object.values(facets)) console.log(total, groups);
`,
};

/** Characters that a literal in single quotes would need escapes for. */
const ESCAPED = /['\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

function literal(value: string | number | readonly string[] | undefined): string {
  if (typeof value === 'object') return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'string') return String(value);
  return ESCAPED.test(value) ? escapeInvisible(JSON.stringify(value), (hex) => `\\u{${hex}}`) : `'${value}'`;
}
