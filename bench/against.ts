/** Another commit's program: its files in a folder of their own, with this checkout's packages. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Refusal } from './options.ts';
import { atEnd } from './processes.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

export function git(...words: readonly string[]): string {
  return execFileSync('git', ['-C', ROOT, ...words], { encoding: 'utf8' }).trim();
}

function commitOf(ref: string): string {
  try {
    return git('rev-parse', '--quiet', '--verify', `${ref}^{commit}`);
  } catch {
    throw new Refusal(`--against is "${ref}", which is no commit here.`);
  }
}

/** Removed when the benchmark ends. */
export function programAt(ref: string): string {
  const commit = commitOf(ref);
  const folder = mkdtempSync(join(tmpdir(), 'stockbook-bench-'));
  const tree = join(folder, 'tree');
  atEnd(() => {
    try {
      git('worktree', 'remove', '--force', tree);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
  git('worktree', 'add', '--quiet', '--detach', tree, commit);
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
  return join(tree, 'bin', 'stockbook.js');
}
