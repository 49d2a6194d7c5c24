/** Disks that fail on command, without root: a library that is preloaded into a program makes its writes fail. */

import { spawnSync } from 'node:child_process';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('disk-faults.c', import.meta.url));

/** Whether programs can be made to fail here: that takes Linux and a C compiler. */
export const canFailDisks = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0;

export type DiskFault = 'ENOSPC' | 'EROFS' | 'EIO';

export interface FailingDisk {
  /** The environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  fail(fault: DiskFault): void;
  recover(): void;
}

/** Affects files whose paths contain `path`. What it needs is put into `folder`. */
export function makeFailingDisk(folder: string, path: string): FailingDisk {
  const [library, control] = [join(folder, 'disk-faults.so'), join(folder, 'disk-fault')];
  const { status, stderr } = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, SOURCE, '-ldl']);
  if (status !== 0) throw new Error(`disk-faults.c does not compile: ${stderr}`);
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o755);
  return {
    env: { LD_PRELOAD: library, DISK_FAULTS_CONTROL: control, DISK_FAULTS_PATH: path },
    fail: (fault) => writeFileSync(control, String(constants.errno[fault])),
    recover: () => rmSync(control, { force: true }),
  };
}
