/** So much is written that the write-ahead log is moved into the file and started over, and the service is stopped, started and killed. */

import { kill } from '../../../support/program.ts';
import { sendEach, times, type Workload } from './workload.ts';
import { change, create, importRows } from './writes.ts';

/** They write a thousand pages, after which SQLite moves the log into the file, and the next write starts the log over. */
const IMPORTS = 24;

export const logRestarts: Workload = {
  name: 'the log is started over',
  share: 0.2,
  async run(recording, key) {
    const first = await recording.serve();
    await sendEach(recording, first, key, [
      ...times(IMPORTS, (n) =>
        importRows(
          'product',
          times(100, (row) => ({ id: 100 * row, name: `Product ${n} ${row}`, categ_id: n })),
          `categ_id = ${n}`,
        ),
      ),
      create('After the log was started over', 'after'),
      change('product', 1, 'Likewise'),
    ]);
    // It moves the log into the file, and removes it.
    await recording.stop(first);
    const second = await recording.serve();
    await sendEach(recording, second, key, [create('After a restart')]);
    await kill(second);
    const third = await recording.serve();
    await sendEach(recording, third, key, [create('After a kill')]);
  },
};
