/** Programs whose disk fails on command, without root: a library that is preloaded into them makes their writes fail, or logs them. */

import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject, type TestContext } from 'vitest';

const SOURCE = fileURLToPath(new URL('disk-faults.c', import.meta.url));

/** Whether programs can be made to fail here: that takes Linux and a C compiler. */
export const canFailDisks = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0;

/** Without them, a sample is skipped, and says so; where everything is looked at, the test fails. */
export function requireFailingDisks(context: TestContext): void {
  if (canFailDisks) return;
  const reason = 'The disk of a program can only be logged, and made to fail, on Linux with a C compiler (cc).';
  if (inject('isExhaustive')) throw new Error(reason);
  process.stderr.write(`Skipped: ${context.task.name}. ${reason}\n`);
  context.skip(reason);
}

export type DiskFault = 'ENOSPC' | 'EROFS' | 'EIO';

export interface FailingDisk {
  /** The environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  fail(fault: DiskFault): void;
  recover(): void;
}

/** Affects files whose paths contain `path`. What it needs is put into `folder`. */
export function makeFailingDisk(folder: string, path: string): FailingDisk {
  const control = join(folder, 'disk-fault');
  return {
    env: { ...preloaded(folder), DISK_FAULTS_CONTROL: control, DISK_FAULTS_PATH: path },
    fail: (fault) => writeFileSync(control, String(constants.errno[fault])),
    recover: () => rmSync(control, { force: true }),
  };
}

/** Compiled once in each process. */
let compiled: Buffer | undefined;

/** The environment of a program with the library, which is put into `folder`. */
export function preloaded(folder: string): Readonly<Record<string, string>> {
  const library = join(folder, 'disk-faults.so');
  compiled ??= compile(library);
  writeFileSync(library, compiled);
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o755);
  return { LD_PRELOAD: library };
}

function compile(library: string): Buffer {
  const { status, stderr } = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-pthread', '-o', library, SOURCE, '-ldl']);
  if (status !== 0) throw new Error(`disk-faults.c does not compile: ${stderr}`);
  return readFileSync(library);
}
