/** A program that reads the first sheet of a workbook, and prints how many rows and cells it has. Tests measure its memory. */

import { openFile } from '../../src/import/xlsx/random-access.ts';
import { Workbook } from '../../src/import/xlsx/workbook.ts';

const [, , path = ''] = process.argv;
const workbook = await Workbook.open(await openFile(path), { maxBytes: 1024 ** 3 });
const [sheet] = workbook.sheets;
if (sheet === undefined) throw new Error('there is no sheet');
let rows = 0;
let cells = 0;
for await (const batch of workbook.rows(sheet)) {
  rows += batch.length;
  for (const row of batch) cells += row.cells.length;
}
await workbook.close();
process.stdout.write(JSON.stringify({ rows, cells }));
