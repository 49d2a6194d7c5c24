/** Programs that validate what operators get. Debian has them; where they are not installed, tests that need them are skipped. */

import { spawnSync } from 'node:child_process';

/** From Debian's package `prometheus`. */
export const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

/** From Debian's package `systemd`. */
export const hasSystemdAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0;

/** From Debian's package `logrotate`. */
export const hasLogrotate = spawnSync('logrotate', ['--version']).status === 0;

/** The exit code of a program, and what it printed. */
export function runTool(
  command: string,
  args: readonly string[],
  input?: string,
): { readonly code: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    ...(input !== undefined && { input }),
  });
  return { code: status, output: stdout + stderr };
}
