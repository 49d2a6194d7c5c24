/**
 * Serves the shop, and passes its requests on to Stockbook with the key, which visitors must not see.
 *
 *     node server.ts https://acme.example.com 3000 dist
 *
 * The key, which needs the scope `read`, is in the environment variable KEY.
 */

import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const [url = '', port = '3000', directory = 'dist'] = process.argv.slice(2);

/** What visitors may see. */
const PRODUCTS = /^\/api\/v1\/inventory\/product(?:\/aggregate)?\?/;

const files: Readonly<Record<string, readonly [name: string, type: string]>> = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/shop.js': ['shop.js', 'text/javascript; charset=utf-8'],
};

const server = createServer(async (request, response) => {
  const path = request.url ?? '';
  const file = files[path];
  try {
    if (file !== undefined) {
      response.writeHead(200, { 'content-type': file[1] });
      await pipeline(createReadStream(join(directory, file[0])), response);
    } else if (request.method === 'GET' && PRODUCTS.test(path)) {
      const found = await fetch(url + path, { headers: { authorization: `Bearer ${process.env['KEY']}` } });
      response.writeHead(found.status, { 'content-type': found.headers.get('content-type') ?? '' });
      await pipeline(Readable.from(found.body ?? []), response);
    } else response.writeHead(404).end();
  } catch {
    if (!response.headersSent) response.writeHead(502);
    response.end();
  }
});
server.listen(Number(port), '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') console.log(`The shop is open on http://127.0.0.1:${address?.port}`);
});
