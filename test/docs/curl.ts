/** Parses a `curl` command as a shell and curl would. It knows the options that the docs use, and rejects all others. */

import type { TestRequest } from '../support/service.ts';

/** What curl says about data unless it is told otherwise. */
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** `variables` are the values of `$NAME` in double quotes, and `files` the contents of the files that `@NAME` sends. */
export function readCurl(
  line: string,
  variables: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
): TestRequest & { readonly url: URL } {
  const [program, ...words] = shellWords(line, variables);
  if (program !== 'curl') throw new Error(`not a curl command: ${line}`);
  const headers: Record<string, string> = {};
  const data: string[] = [];
  let [method, url, isQuery]: [string | undefined, string | undefined, boolean] = [undefined, undefined, false];
  const next = () => words.shift() ?? '';
  while (words.length > 0) {
    const word = next();
    if (word === '-H') {
      const [name = '', value = ''] = next().split(/: (.*)/s);
      headers[name.toLowerCase()] = value;
    } else if (word === '-u') headers['authorization'] = `Basic ${btoa(next())}`;
    else if (word === '-G') isQuery = true;
    else if (word === '-X') method = next();
    // Where the response is saved, which is not saved here.
    else if (word === '-o') next();
    else if (word === '-d') data.push(next());
    else if (word === '--data-binary') {
      const file = files[next().replace(/^@/, '')];
      if (file === undefined) throw new Error(`no such file in: ${line}`);
      data.push(file);
    } else if (word === '--data-urlencode') {
      const [name = '', value = ''] = next().split(/=(.*)/s);
      data.push(`${name}=${encodeURIComponent(value)}`);
    } else if (word.startsWith('http')) url = word;
    else throw new Error(`unknown curl option ${word} in: ${line}`);
  }
  if (url === undefined) throw new Error(`no URL in: ${line}`);
  const target = new URL(url + (isQuery ? `?${data.join('&')}` : ''));
  const path = target.pathname + target.search;
  return {
    url: target,
    path,
    method: method ?? (data.length > 0 && !isQuery ? 'POST' : 'GET'),
    ...(isQuery || data.length === 0 ? { headers } : { headers: { ...FORM, ...headers }, body: data.join('&') }),
  };
}

function shellWords(line: string, variables: Readonly<Record<string, string>>): string[] {
  const joined = line.replaceAll(/\\\n\s*/g, ' ').trim();
  const pieces = [...joined.matchAll(/((?:'[^']*'|"(?:[^"\\]|\\.)*"|[^\s'"])+)/g)].map(([word]) => word);
  return pieces.map((word) =>
    word.replaceAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"/g, (_, single?: string, double?: string) =>
      single !== undefined
        ? single
        : (double ?? '')
            .replaceAll(/\$(\w+)/g, (_all, name: string) => variables[name] ?? '')
            .replaceAll(/\\(.)/g, '$1'),
    ),
  );
}
