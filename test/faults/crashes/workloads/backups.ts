/** The database is backed up, and replaced by a backup after the service was killed; another one is made from it. */

import { kill } from '../../../support/program.ts';
import { ANY_FILE } from '../mark.ts';
import type { Recording } from '../recording.ts';
import { DATABASE } from '../state-folder.ts';
import { sendEach, type Workload } from './workload.ts';
import { create, text } from './writes.ts';

export const backups: Workload = {
  name: 'a backup is made and restored',
  async run(recording, key) {
    const first = await recording.serve();
    await sendEach(recording, first, key, [create('Before the backup', 'before')]);
    await backUp(recording, 'Before the backup');
    await sendEach(recording, first, key, [create('After the backup')]);
    await backUp(recording, 'After the backup', '--overwrite');
    const { request, operation } = create('Only in the file that is replaced');
    await recording.send(first, key, {
      request,
      // That file is kept.
      operation: (reply) => {
        const { name, promised } = operation(reply);
        return { name, promised: { ...promised, database: ANY_FILE, isFinal: true } };
      },
    });
    // Its log is left.
    await kill(first);
    await restore(recording, DATABASE);
    await restore(recording, 'second.db');
    const second = await recording.serve();
    await sendEach(recording, second, key, [create('After the restore', 'after')]);
  },
};

/** The backup has a partner. */
async function backUp(recording: Recording, partner: string, ...flags: readonly string[]): Promise<void> {
  await recording.command(['backup', `${recording.folder}/backup.db`, ...flags], () => ({
    name: 'back up',
    promised: { database: 'backup.db', holds: `EXISTS (SELECT 1 FROM partner WHERE name = ${text(partner)})` },
  }));
}

async function restore(recording: Recording, database: string): Promise<void> {
  const path = `${recording.folder}/${database}`;
  await recording.command(['restore', `${recording.folder}/backup.db`, '--database', path, '--yes'], () => ({
    name: `restore ${database}`,
    promised: {
      database,
      holds: "EXISTS (SELECT 1 FROM audit_entry WHERE action = 'database restored')",
      isFinal: true,
    },
  }));
}
