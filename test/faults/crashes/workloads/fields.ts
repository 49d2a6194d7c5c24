/** An operator adds fields, changes and removes them, while records have values in them; views are saved and removed. */

import { product } from '../../../../src/catalog/product.ts';
import type { Recording } from '../recording.ts';
import { sendEach, times, type Workload } from './workload.ts';
import { importRows, removeView, saveView, text } from './writes.ts';

export const fields: Workload = {
  name: 'fields are added and views saved',
  async run(recording, key) {
    const server = await recording.serve();
    await field(recording, 'add', 'x_weight', true, 'number', '--default', '1', '--indexed');
    await field(recording, 'add', 'x_note', true, 'text', '--searched');
    await sendEach(recording, server, key, [
      importRows(
        'product',
        times(20, (n) => ({ id: n, x_weight: 7, x_note: `Note ${n}` })),
        'own_x_weight = 7',
      ),
      saveView('light', 'Light'),
      saveView('light', 'Lighter'),
      saveView('heavy', 'Heavy'),
    ]);
    await field(recording, 'change', 'x_note', true, '--indexed', '--label', 'Remark');
    await field(recording, 'remove', 'x_weight', false);
    await sendEach(recording, server, key, [removeView('heavy')]);
  },
};

async function field(
  recording: Recording,
  command: string,
  name: string,
  exists: boolean,
  ...options: readonly string[]
): Promise<void> {
  const defined = `EXISTS (SELECT 1 FROM own_field WHERE resource = ${text(product.name)} AND name = ${text(name)}
    ${options.includes('Remark') ? `AND definition LIKE '%Remark%'` : ''})`;
  const column = `EXISTS (SELECT 1 FROM pragma_table_info(${text(product.name)}) WHERE name = ${text(`own_${name}`)})`;
  await recording.command(['field', command, product.name, name, ...options, ...(exists ? [] : ['--yes'])], () => ({
    name: `${command} the field ${name}`,
    promised: {
      holds: exists ? defined : `NOT ${defined}`,
      ...(command === 'add' && { half: `${defined} <> ${column}` }),
    },
  }));
}
