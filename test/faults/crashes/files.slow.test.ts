/** Crashes while the file of a database is created, upgraded, copied or replaced. */

import { testCrashes } from './test-crashes.ts';
import { backups } from './workloads/backups.ts';
import { firstDatabase } from './workloads/first-database.ts';
import { upgrades } from './workloads/upgrades.ts';

for (const workload of [firstDatabase, backups, upgrades]) testCrashes(workload);
