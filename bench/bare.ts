/** Bare node:http that sends one answer of Stockbook's again and again: what there is to reach without any work. */

import { createServer } from 'node:http';
import type { Answered } from './stockbook.ts';

/** These node:http writes itself. */
const OWN = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding']);

process.once('message', ({ status, headers, body }: Answered) => {
  const bytes = Buffer.from(body, 'base64');
  const sent = headers.filter(([name]) => !OWN.has(name.toLowerCase()));
  const flat = sent.flat();
  const server = createServer((_, response) => {
    response.writeHead(status, flat).end(bytes);
  }).listen(0, '127.0.0.1', () => process.send?.(server.address()));
});
process.on('disconnect', () => process.exit());
