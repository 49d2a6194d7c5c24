/** stockbook mirror */

import { Command } from 'commander';
import { odooCommand } from './odoo.ts';
import { stockbookCommand } from './stockbook.ts';

export function mirrorCommand(): Command {
  return new Command('mirror')
    .description('keep an account equal to an Odoo database, or to an account of another Stockbook')
    .addCommand(odooCommand())
    .addCommand(stockbookCommand());
}
