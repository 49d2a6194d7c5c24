/** The longest step of the serving thread, while clients send what takes longest to read, compute and send. */

import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { workbookFile } from '../test/support/workbooks.ts';
import { DATA } from './engines.ts';
import { setEnvironment } from './processes.ts';
import { serve } from './stockbook.ts';

const CLOCK = fileURLToPath(new URL('step-clock.ts', import.meta.url));

const PRODUCTS = '/api/v1/inventory/product';

interface CostlyRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly type?: string;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** In milliseconds. */
export async function longestStep(program: string, url: string, key: string | undefined): Promise<number> {
  mkdirSync(DATA, { recursive: true });
  const file = join(DATA, 'step-clock.json');
  setEnvironment({ STEP_CLOCK: file });
  const server = await serve(program, url, [], ['--import', CLOCK]);
  const measured = async () => {
    rmSync(file, { force: true });
    server.child.kill('SIGUSR2');
    while (!existsSync(file) || !readFileSync(file, 'utf8').endsWith('\n')) await setTimeout(10);
    return Number(readFileSync(file, 'utf8'));
  };
  const sendAll = async () => {
    for (const { method, path, type, body } of requests()) {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, ...(type !== undefined && { 'content-type': type }) },
        ...(body !== undefined && { body }),
      });
      await response.arrayBuffer();
      if (response.status >= 500) throw new Error(`${method} ${path.slice(0, 100)} returned ${response.status}`);
    }
  };
  try {
    // Code is loaded and compiled by what it is first used for.
    await sendAll();
    await measured();
    await sendAll();
    return await measured();
  } finally {
    await server.stop();
  }
}

/** Requests that change nothing. */
function requests(): readonly CostlyRequest[] {
  const ids = Array.from({ length: 1_000 }, (_, n) => n + 1);
  const terms = Array.from({ length: 200 }, (_, n) => `name*x${n}`).join('|');
  const object = (members: number, name: string) =>
    `{${Array.from({ length: members }, (_, n) => `"${name}${n}":${n}`).join()}}`;
  const header = Array.from({ length: 1_000 }, (_, n) => `<c t="str"><v>${n === 0 ? 'name' : `c${n}`}</v></c>`).join(
    '',
  );
  const workbook = (rows: string) => new Uint8Array(workbookFile({ sheets: { S: `<row>${header}</row>${rows}` } }));
  const get = (query: string): CostlyRequest => ({ method: 'GET', path: `${PRODUCTS}${query}` });
  const post = (query: string, type: string, body: string | Uint8Array<ArrayBuffer>): CostlyRequest => ({
    method: 'POST',
    path: `${PRODUCTS}/import?dry_run=true&on_error=skip${query}`,
    type,
    body,
  });
  return [
    get('?limit=1000'),
    get('?limit=1000&page=50&sort=-name'),
    get(`?filter=id[${ids.join()}]&explain=true`),
    get(`?filter=${encodeURIComponent(terms)}`),
    get('?q=oak%20chair&limit=1000'),
    get('?format=xlsx'),
    get('?format=ndjson'),
    get('/changes?limit=1000'),
    get('/digest'),
    get('/aggregate?measures=sum(list_price),avg(qty_available)&facets=name,categ_id&limit=1000'),
    { method: 'PATCH', path: `${PRODUCTS}/1`, type: 'application/json', body: object(1_000, 'm') },
    {
      method: 'PATCH',
      path: `${PRODUCTS}/1`,
      type: 'application/json',
      body: JSON.stringify({ x: 'x'.repeat(60_000) }),
    },
    post('', 'text/csv', `name,list_price\n${'x,abc\n'.repeat(100_000)}`),
    post('&key=default_code', 'text/csv', `name,default_code\n${'x,abc\n'.repeat(100_000)}`),
    post('', 'application/x-ndjson', Array.from({ length: 30 }, (_, n) => object(1_000, `u${n}_`)).join('\n')),
    post('&ignore_unknown=true', 'application/x-ndjson', object(90_000, 'm').slice(0, 1_000_000)),
    post('', 'application/x-ndjson', '{}\n'.repeat(200_000)),
    post('&ignore_unknown=true', WORKBOOK, workbook('<row><c t="str"><v>a</v></c></row>'.repeat(40_000))),
  ];
}

const WORKBOOK = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
