/** What tests have counted, printed once all of them are done: how many states and failures there were. */

import type { TestContext } from 'vitest';
import type { Reporter, TestModule } from 'vitest/node';

/** By what was counted. */
type Counts = Readonly<Record<string, number>>;

interface Counted {
  readonly table: string;
  readonly row: string;
  readonly counts: Counts;
}

declare module 'vitest' {
  interface TaskMeta {
    counted?: Counted[];
  }
}

/** Adds a row to one of the tables that are printed. */
export function count({ task }: TestContext, table: string, row: string, counts: Counts): void {
  task.meta.counted = [...(task.meta.counted ?? []), { table, row, counts }];
}

export class CountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const counted = tests.flatMap((test) => test.meta().counted ?? []);
    for (const [table, rows] of Map.groupBy(counted, (each) => each.table))
      process.stdout.write(
        `\n${table}\n${rows.map(printed).join('')}${printed({ table, row: 'total', counts: sum(rows) })}`,
      );
  }
}

function sum(rows: readonly Counted[]): Counts {
  const total: Record<string, number> = {};
  for (const { counts } of rows)
    for (const [what, number] of Object.entries(counts)) total[what] = (total[what] ?? 0) + number;
  return total;
}

function printed({ row, counts }: Counted): string {
  const numbers = Object.entries(counts).map(([what, number]) => `${number.toLocaleString('en')} ${what}`);
  return `  ${row}: ${numbers.join(', ')}\n`;
}
