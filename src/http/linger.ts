/**
 * Closes a connection on which the client may still be sending. If it were closed at once, the kernel would reset it when
 * more bytes arrive, and the client might fail to send instead of reading the response.
 */

import type { Socket } from 'node:net';
import type { Clock } from '../schedule/clock.ts';

/** How long the client may take to close its side once everything is sent, in milliseconds. */
const LINGER_TIME = 5_000;

/** The maximum number of bytes that are read and discarded. */
const LINGER_BYTES = 16 * 1024 * 1024;

/** Everything has been written to the socket. */
export function closeLingering(socket: Socket, clock: Clock): void {
  socket.end(() => {
    socket.once(
      'close',
      clock.after(LINGER_TIME, () => socket.destroy()),
    );
  });
  let bytes = 0;
  discardInput(socket, (chunk) => {
    bytes += chunk.length;
    if (bytes > LINGER_BYTES) socket.destroy();
  });
}

/** Nothing that arrives from now on is parsed. The connection is still read, so that a disconnect is noticed. */
export function discardInput(socket: Socket, onData: (chunk: Buffer) => void = () => {}): void {
  // While Node's HTTP server has paused the connection, only that can resume it.
  if (socket.isPaused()) socket.once('resume', () => discardInput(socket, onData));
  else socket.removeAllListeners('data').on('data', onData);
}
