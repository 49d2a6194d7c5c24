/** Another commit's program: its files in a folder of their own, with this checkout's packages. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atEnd } from './processes.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

export function git(...words: readonly string[]): string {
  return execFileSync('git', ['-C', ROOT, ...words], { encoding: 'utf8' }).trim();
}

/** Removed when the benchmark ends. */
export function programAt(ref: string): string {
  const commit = git('rev-parse', '--verify', `${ref}^{commit}`);
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
