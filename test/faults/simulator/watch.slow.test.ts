/** Each file of a watched folder is imported once, whatever fails in between. */

import { simulate } from './simulate.ts';
import { WatchRun } from './watch-run.ts';

simulate('folder', WatchRun.open, { days: 6, worlds: 30 });
