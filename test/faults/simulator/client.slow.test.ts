/** What the client sends is done once, whatever the network does to it. */

import { ClientRun } from './client-run.ts';
import { simulate } from './simulate.ts';

simulate('programs', ClientRun.open, { days: 30, worlds: 30 });
