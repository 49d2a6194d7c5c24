/** Imported into the program with `--import`: when it gets SIGUSR2, it collects garbage, and writes the size of its buffers to the file `MEMORY_PROBE`. */

import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc');
  process.on('SIGUSR2', () => {
    collectGarbage();
    // Buffers that other threads have sent count as external only.
    const { external } = process.memoryUsage();
    writeFileSync(process.env['MEMORY_PROBE'] ?? '', JSON.stringify({ buffered: external }));
  });
}
