/** Copies of the checkout. */

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Runs a command in a folder as people do: not as part of a test, nor of CI. */
export function shellIn(folder: string, command: string, variables: Readonly<Record<string, string>> = {}) {
  const env = { ...plainEnvironment(), ...variables };
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8', env });
  if (status !== 0) throw new Error(`${command} ended with ${status}\n${stdout}${stderr}`);
  return stdout;
}

/** Without what tells programs that they are part of a test. */
export function plainEnvironment(): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV|TEST|CI$|GITHUB_)/.test(name)),
  );
}

/**
 * The modules that `npm ci` would install. Links to files take little time and no room; they are not possible between file systems.
 * Without the caches, whose files come and go while other tests run.
 */
export function copyModules(copy: string): void {
  const isModule = `-mindepth 1 -maxdepth 1 ! -name '.cache' ! -name '.vite*'`;
  const copied = (flags: string) =>
    `mkdir node_modules && find '${ROOT}node_modules' ${isModule} -exec cp ${flags} -t node_modules {} +`;
  shellIn(copy, `${copied('-al')} || { rm -r node_modules && ${copied('-a')}; }`);
}

/** A clone of the repository, with what is not committed yet. */
export function cloneInto(folder: string): void {
  mkdirSync(folder, { recursive: true });
  shellIn(folder, `git clone --quiet --shared '${ROOT}' .`);
  const changed = shellIn(ROOT, 'git ls-files -z --modified --others --exclude-standard').split('\0').filter(Boolean);
  for (const path of new Set(changed)) {
    if (existsSync(join(ROOT, path))) cpSync(join(ROOT, path), join(folder, path));
    else shellIn(folder, `rm '${path}'`);
  }
}
