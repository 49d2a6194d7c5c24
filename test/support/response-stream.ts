/** A response that is read, or not read, while it arrives. */

import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { outgoing, type TestRequest } from './service.ts';

/** Resolves with the response when its headers have arrived. Nothing of the body is read yet. */
export async function begin(
  port: number,
  { method = 'GET', path, headers = {} }: TestRequest,
): Promise<IncomingMessage> {
  const request = httpRequest({ host: '127.0.0.1', port, method, path, headers: outgoing(headers), agent: false });
  request.on('error', () => {});
  request.end();
  const [response]: IncomingMessage[] = await once(request, 'response');
  if (response === undefined) throw new Error('there was no response');
  response.on('error', () => {});
  return response;
}

/** Reads the rest of the body. It is complete if it ended as HTTP requires. */
export async function finish(
  response: IncomingMessage,
): Promise<{ readonly bytes: number; readonly isComplete: boolean }> {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  if (!response.closed) await new Promise<void>((resolve) => response.once('close', resolve));
  return { bytes, isComplete: response.complete };
}
