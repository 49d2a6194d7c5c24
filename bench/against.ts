/** The program at another commit: its files in a temporary directory, with the dependencies of that commit. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BenchError } from './options.ts';
import { onExit } from './processes.ts';
import { progress } from './progress.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

export function git(...args: readonly string[]): string {
  return execFileSync('git', ['--no-optional-locks', '-C', ROOT, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
}

/** The path of its bin/stockbook.js. Everything is removed when the benchmark exits. */
export function programAt(ref: string): string {
  const commit = commitOf(ref);
  const directory = mkdtempSync(join(tmpdir(), 'stockbook-bench-'));
  onExit(() => rmSync(directory, { recursive: true, force: true }));
  // An archive and not a worktree: the repository stays untouched even if the benchmark is killed.
  const archive = join(directory, 'stockbook.tar');
  git('archive', `--output=${archive}`, commit);
  execFileSync('tar', ['-xf', archive, '-C', directory]);
  installDependencies(directory, ref);
  return join(directory, 'bin', 'stockbook.js');
}

function commitOf(ref: string): string {
  try {
    return git('rev-parse', '--quiet', '--verify', `${ref}^{commit}`);
  } catch {
    throw new BenchError(`--against: this repository has no commit "${ref}".`);
  }
}

/** Shares node_modules with this checkout if both have the same package-lock.json, which also works offline. */
function installDependencies(directory: string, ref: string): void {
  const [theirs, ours] = [directory, ROOT].map((root) => readFileSync(join(root, 'package-lock.json'), 'utf8'));
  if (theirs === ours) {
    symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
    return;
  }
  progress.show(`installing the dependencies of ${ref}`);
  const flags = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
  try {
    execFileSync('npm', ['ci', ...flags], { cwd: directory, stdio: 'pipe' });
  } catch (error) {
    throw new BenchError(`--against: npm ci failed for ${ref}: ${error instanceof Error ? error.message : error}`);
  }
}
