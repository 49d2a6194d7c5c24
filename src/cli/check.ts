/** stockbook check */

import { Command } from 'commander';
import type { CheckResult, Finding } from '../store/check/findings.ts';
import { CommandError } from './command-error.ts';
import { count, printResult, withSeparators } from './output.ts';
import { ProgressReport } from './progress.ts';
import { addSettingFlags } from './setting-flags.ts';
import { withStore } from './with-store.ts';

export function checkCommand(): Command {
  return addSettingFlags(new Command('check'), ['database'])
    .description('verify that everything in the database agrees')
    .option('--repair', 'repair what can be derived from the rest')
    .addHelpText(
      'after',
      `
Services may keep running. The exit code is 0 if everything agrees, or does after the repair, and 1 otherwise.`,
    )
    .action(runCheck);
}

async function runCheck({ repair = false }: { readonly repair?: boolean }, command: Command): Promise<void> {
  await withStore(command, { create: false, mayBeReadOnly: !repair }, async (store) => {
    const report = new ProgressReport();
    const results = await store
      .check({
        repair,
        onProgress: ({ checked, total }) =>
          report.show({ activity: 'Checking', rows: checked, fraction: Math.min(1, checked / Math.max(total, 1)) }),
      })
      .finally(() => report.end());
    for (const result of results) printCheck(result, repair);
    const remaining = results.reduce((sum, result) => sum + result.remaining.count, 0);
    if (remaining === 0) return;
    const problems = count(remaining, 'problem', 'problems');
    throw new CommandError(
      repair
        ? `${problems} could not be repaired. docs/backup.md says how to restore a backup.`
        : `${problems} found. "stockbook check --repair" repairs what can be derived.`,
    );
  });
}

function printCheck({ check, found, remaining }: CheckResult, repair: boolean): void {
  const repaired = found.count - remaining.count;
  const state = [
    ...(found.count === 0 ? ['ok'] : [count(found.count, 'problem', 'problems')]),
    ...(repair && repaired > 0 ? [`${withSeparators(repaired)} repaired`] : []),
  ].join(', ');
  printResult(`${check.name}: ${state}`);
  const { first } = found;
  for (const finding of first) printResult(`  ${findingText(finding)}`);
  if (found.count > first.length) printResult(`  and ${withSeparators(found.count - first.length)} more`);
  if (repair && remaining.count > 0) printResult(`  Not repaired. What --repair does: ${check.repairs}.`);
}

/** `acme product 7: has a wrong folded form of name` */
function findingText({ account, resource, id, detail }: Finding): string {
  const about = [account, resource, id].filter((part) => part !== undefined).join(' ');
  return about === '' ? detail : `${about}: ${detail}`;
}
