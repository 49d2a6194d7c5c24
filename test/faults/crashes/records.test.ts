/** Crashes while records are written. */

import { testCrashes } from './test-crashes.ts';
import { records } from './workloads/records.ts';

testCrashes(records);
