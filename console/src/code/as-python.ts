/** A request as a program for Python 3, with only its standard library. */

import { type ApiRequest, isLong, parametersOf, pathOf, STREAM_TYPE } from './api-request.ts';
import { escapeInvisible } from './escape-invisible.ts';

export function asPython(request: ApiRequest): string {
  const { origin, result } = request;
  const parameters = parametersOf(request).map(([name, value]) => `    "${name}": ${quoted(value)},\n`);
  const endpoint = quoted(origin + pathOf(request));
  const target = isLong(request)
    ? `${endpoint}, method="QUERY", data=query.encode()`
    : `f${endpoint.slice(0, -1)}?{query}"`;
  const headers = [
    `"Authorization": f"Bearer {os.environ['KEY']}"`,
    ...(result === 'all' ? [`"Accept": "${STREAM_TYPE}"`] : []),
  ];
  return `import json
import os
from urllib.parse import urlencode
from urllib.request import Request, urlopen

query = urlencode({
${parameters.join('')}})
headers = {${headers.join(', ')}}
with urlopen(Request(${target}, headers=headers)) as response:
${READING[result]}`;
}

const READING: Readonly<Record<ApiRequest['result'], string>> = {
  page: `    page = json.load(response)
print(page["meta"]["total"])
for record in page["data"]:
    print(record)
`,
  all: `    for line in response:
        record = json.loads(line)
        print(record)
`,
  groups: `    aggregate = json.load(response)
print(aggregate["meta"]["total"])
for facet in aggregate["data"]["facets"].values():
    for group in facet["groups"]:
        print(group)
`,
};

/** Python reads every JSON string as the same text, except that it has no pairs of surrogates. */
function quoted(text: string): string {
  return escapeInvisible(JSON.stringify(text), (hex) => `\\U${hex.padStart(8, '0')}`);
}
