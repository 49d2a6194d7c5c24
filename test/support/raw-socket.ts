/** Sends bytes that no HTTP client would send, and reads what comes back. */

import { connect } from 'node:net';
import { parseBody, type TestReply } from './service.ts';

/** Everything that arrives until the server closes the connection. */
export function sendRaw(port: number, bytes: string | Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    // A server that does not read the rest of a request resets the connection after its response.
    socket.on('error', (error) => {
      if (chunks.length === 0) reject(error);
    });
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
  });
}

/** The first response in the text. */
export function readReply(text: string): TestReply {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const body = rest.join('\r\n\r\n');
  const json = parseBody(body, headers['content-type']);
  return { status: Number(statusLine.split(' ')[1]), headers, text: body, json };
}
