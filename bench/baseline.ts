/** The baseline: node:http that sends one recorded response of Stockbook to every request, an upper bound for any server on it. */

import { createServer } from 'node:http';
import type { RecordedResponse } from './stockbook.ts';

/** Headers that node:http sets itself. */
const AUTOMATIC = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding']);

process.once('message', ({ status, headers, body }: RecordedResponse) => {
  const bytes = Buffer.from(body, 'base64');
  const sent = headers.filter(([name]) => !AUTOMATIC.has(name.toLowerCase())).flat();
  const server = createServer((_, response) => {
    response.writeHead(status, sent).end(bytes);
  }).listen(0, '127.0.0.1', () => process.send?.(server.address()));
});
process.on('disconnect', () => process.exit());
