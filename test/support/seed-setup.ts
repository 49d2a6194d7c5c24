/** Prints the seed of the run. */

import type { TestProject } from 'vitest/node';

export default function setup(project: TestProject): void {
  process.stdout.write(`Generated inputs come from seed ${project.getProvidedContext().seed} (STOCKBOOK_TEST_SEED).\n`);
}
