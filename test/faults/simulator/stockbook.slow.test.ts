/** A copy of an account is equal to it, whatever fails in between. */

import { simulate } from './simulate.ts';
import { StockbookRun } from './stockbook-run.ts';

simulate('accounts', StockbookRun.open, { days: 4, worlds: 30 });
