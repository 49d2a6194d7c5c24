/** Hashes streams on a thread of its own. */

import { StreamConsumer } from '../threads/stream-consumer.ts';
import { siblingModule } from '../threads/thread.ts';

/** The SHA-256 of a stream in hexadecimal. */
export type Hashing = StreamConsumer<undefined, string>;

export function startHashing(): Hashing {
  return new StreamConsumer(siblingModule(import.meta.url, 'hash-thread'));
}
