/** Connectors import a few rows, and so many that they are staged first, with their positions and with idempotency keys, into two processes. */

import { sendEach, sendTogether, times, type Workload } from './workload.ts';
import { acceptRows, importRows, removeProducts } from './writes.ts';

/** More than fit into the transaction that loads them. */
const MANY = 600;

export const imports: Workload = {
  name: 'rows are imported',
  async run(recording, key) {
    const server = await recording.serve('--workers', '2');
    const products = (count: number, category: number) =>
      times(count, (n) => ({ default_code: `C${category}-${n}`, name: `Product ${n}`, categ_id: category }));
    await sendEach(recording, server, key, [
      importRows('product', products(30, 1), 'categ_id = 1', { key: 'few', source: { name: 'erp', position: '1' } }),
      importRows('product', products(MANY, 2), 'categ_id = 2', { key: 'many', source: { name: 'erp', position: '2' } }),
      // Half of them are as they were, and the others change.
      importRows(
        'product',
        products(MANY / 2, 2).map((row) => ({ ...row, categ_id: 3 })),
        'categ_id = 3',
        { source: { name: 'erp', position: '3' }, parameters: { key: 'default_code' } },
      ),
      removeProducts(times(100, (n) => `C2-${n}`)),
      importRows(
        'company',
        times(20, (n) => ({ name: `Company ${n}`, company_code: `N${n}`, branch_user: '1' })),
        "company_code LIKE 'N%'",
      ),
    ]);
    // They share a transaction.
    await sendTogether(
      recording,
      server,
      key,
      times(6, (n) =>
        importRows(
          'partner',
          times(5, (row) => ({ name: `Partner ${row}`, city: `City ${n}` })),
          `city = 'City ${n}'`,
          { key: `together-${n}`, source: { name: `source-${n}`, position: '1' }, parameters: { add: 'true' } },
        ),
      ),
    );
    // Its response comes before it is done.
    await sendEach(recording, server, key, [
      acceptRows(
        'product',
        products(MANY, 9).map((row) => ({ ...row, default_code: `late ${row.default_code}` })),
      ),
    ]);
    await recording.until(`(SELECT count(*) FROM product WHERE categ_id = 9) = ${MANY}`);
    await sendEach(recording, server, key, [importRows('product', products(5, 10), 'categ_id = 10', { key: 'last' })]);
  },
};
