/** Crashes while much is written. */

import { testCrashes } from './test-crashes.ts';
import { imports } from './workloads/imports.ts';
import { logRestarts } from './workloads/log-restarts.ts';

for (const workload of [imports, logRestarts]) testCrashes(workload);
