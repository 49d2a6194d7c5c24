/** An account is equal to its Odoo whenever people have stopped working, whatever has failed before. */

import { OdooRun } from './odoo-run.ts';
import { simulate } from './simulate.ts';

simulate('Odoo', OdooRun.open, { days: 15, worlds: 60 });
