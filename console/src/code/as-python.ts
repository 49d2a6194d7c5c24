/** A request as a program for Python 3, with only its standard library. */

import { escapeInvisible } from './escape-invisible.ts';
import { endpointOf, isLong, type ListRequest, parametersOf, STREAM_TYPE } from './list-request.ts';

export function asPython(request: ListRequest): string {
  const { scope } = request;
  const parameters = parametersOf(request).map(([name, value]) => `    "${name}": ${quoted(value)},\n`);
  const endpoint = quoted(endpointOf(request));
  const target = isLong(request)
    ? `${endpoint}, method="QUERY", data=query.encode()`
    : `f${endpoint.slice(0, -1)}?{query}"`;
  const headers = [
    `"Authorization": f"Bearer {os.environ['KEY']}"`,
    ...(scope === 'all' ? [`"Accept": "${STREAM_TYPE}"`] : []),
  ];
  return `import json
import os
from urllib.parse import urlencode
from urllib.request import Request, urlopen

query = urlencode({
${parameters.join('')}})
headers = {${headers.join(', ')}}
with urlopen(Request(${target}, headers=headers)) as response:
${
  scope === 'page'
    ? `    page = json.load(response)
print(page["meta"]["total"])
for record in page["data"]:
    print(record)
`
    : `    for line in response:
        record = json.loads(line)
        print(record)
`
}`;
}

/** Python reads every JSON string as the same text, except that it has no pairs of surrogates. */
function quoted(text: string): string {
  return escapeInvisible(JSON.stringify(text), (hex) => `\\U${hex.padStart(8, '0')}`);
}
