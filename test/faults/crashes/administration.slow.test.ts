/** Crashes while an operator is at work. */

import { testCrashes } from './test-crashes.ts';
import { accounts } from './workloads/accounts.ts';
import { fields } from './workloads/fields.ts';
import { keys } from './workloads/keys.ts';

for (const workload of [keys, fields, accounts]) testCrashes(workload);
