/** The thread that hashes streams. */

import { createHash } from 'node:crypto';
import { type Consumer, runStreamConsumer } from '../threads/run-stream-consumer.ts';

/** The SHA-256 in hexadecimal. */
function sha256(): Consumer<string> {
  const hash = createHash('sha256');
  return {
    update(bytes) {
      hash.update(bytes);
      return undefined;
    },
    finish: () => hash.digest('hex'),
  };
}

runStreamConsumer(sha256);
