/** Records are created, changed and removed, one by one and many at once. */

import { sendEach, sendTogether, times, type Workload } from './workload.ts';
import { change, create, importRows, remove } from './writes.ts';

export const records: Workload = {
  name: 'records are written',
  async run(recording, key) {
    const server = await recording.serve();
    await sendEach(recording, server, key, [create('First', 'first')]);
    // They share transactions.
    const together = (n: number) => create(`Together ${n}`, n % 2 === 0 ? `together-${n}` : undefined);
    await sendTogether(recording, server, key, times(16, together));
    await sendEach(recording, server, key, [
      change('product', 1, 'Changed', 'change'),
      change('product', 1, 'Changed again'),
    ]);
    await sendTogether(
      recording,
      server,
      key,
      times(8, (n) => change('partner', n, `Changed together ${n}`)),
    );
    await sendEach(recording, server, key, [remove('product', 2, 'removal')]);
    await sendTogether(
      recording,
      server,
      key,
      [3, 4, 5].map((id) => remove('product', id)),
    );
    const rows = times(20, (n) => ({ name: `Imported ${n}`, categ_id: 77 }));
    await sendEach(recording, server, key, [
      importRows('product', rows, 'categ_id = 77', { key: 'import' }),
      create('Last', 'last'),
    ]);
  },
};
