/** `@stockbook/client` in the `node_modules` of a folder, as programs import it. */

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export async function installClient(folder: string): Promise<void> {
  const target = join(folder, 'node_modules', '@stockbook', 'client');
  mkdirSync(target, { recursive: true });
  cpSync(join(ROOT, 'packages', 'client', 'package.json'), join(target, 'package.json'));
  const build = join(ROOT, 'tools', 'client', 'build.ts');
  await promisify(execFile)(process.execPath, [build, join(target, 'dist')]).catch(({ stdout, stderr }) => {
    throw new Error(stdout + stderr);
  });
}

/** Rejects with what the compiler says if it finds an error. */
export async function typeScript(args: readonly string[]): Promise<void> {
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  await promisify(execFile)(process.execPath, [compiler, ...args]).catch(({ stdout }) => {
    throw new Error(stdout);
  });
}

export interface Executed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program in the folder, with the key in its environment. */
export async function execute(
  folder: string,
  program: string,
  args: readonly string[],
  key: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Executed> {
  const options = { cwd: folder, env: { ...env, KEY: key, NO_COLOR: '1' } };
  return promisify(execFile)(process.execPath, [program, ...args], options).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}
