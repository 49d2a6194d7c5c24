/**
 * Opens one state that a crash could leave again: `npx node test/faults/crashes/repeat.ts LOG FOLDER CALL LOSS`. A test that fails prints the command. The
 * state stays in a folder, so that it can be looked at.
 */

import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DiskCall, diskCalls } from '../../support/disk-log.ts';
import { Disk, type Loss, type Remains } from './disk.ts';
import { StateFolder, writeState } from './state-folder.ts';

/** Such as `812,814:0-512`: of the second, these bytes are left. */
export function printLoss(loss: Loss): string {
  return [...loss]
    .map(([call, remains]) => (remains === 'nothing' ? `${call}` : `${call}:${remains.from}-${remains.to}`))
    .join(',');
}

function readLoss(text: string): Loss {
  const parts = text.split(',').filter(Boolean);
  return new Map(
    parts.map((part): [number, Remains] => {
      const [call, from, to] = part.split(/[:-]/).map(Number);
      return [call ?? 0, from === undefined || to === undefined ? 'nothing' : { from, to }];
    }),
  );
}

if (import.meta.main) {
  const [log = '', root = '', call = '', loss = ''] = process.argv.slice(2);
  const disk = new Disk(root);
  const calls: DiskCall[] = [...diskCalls(readFileSync(log))].slice(0, Number(call));
  for (const each of calls) disk.apply(each);
  const print = (text: string) => process.stdout.write(`${text}\n`);
  for (const [index, each] of calls.entries())
    if (each.kind === 'mark' || disk.losable.includes(index + 1)) print(`${index + 1} ${describe(each)}`);
  const folder = mkdtempSync(join(tmpdir(), 'stockbook-crash-'));
  for (const name of ['crashed', 'running']) {
    const state = disk.state(name === 'crashed' ? readLoss(loss) : undefined);
    mkdirSync(join(folder, name));
    writeState(join(folder, name), state);
    print(
      `${name}, in ${join(folder, name)}: ${JSON.stringify([...(await new StateFolder(join(folder, `${name}-opened`)).open(state))])}`,
    );
  }
}

function describe(call: DiskCall): string {
  if (call.kind === 'write') return `write ${call.bytes.length} bytes at ${call.offset} of file ${call.file}`;
  return JSON.stringify(call);
}
