/** stockbook mirror stockbook */

import { Command } from 'commander';
import { ForeignCursor, mirrorForever, StockbookMirror } from '../../connectors/stockbook/mirror-stockbook.ts';
import { CommandError } from '../command-error.ts';
import { EventLog } from '../event-log.ts';
import { printResult } from '../output.ts';
import { checkedUrl, readKeyFile } from '../over-http.ts';
import { RESOURCE_NAMES } from '../resources.ts';
import { checkedResource, untilInterrupted, warnOfExpiry } from './until-interrupted.ts';

interface Options {
  readonly from: string;
  readonly fromKeyFile: string;
  readonly url: string;
  readonly keyFile: string;
  readonly resource: readonly string[];
  readonly source: string;
  readonly once?: true;
  readonly confirmRemovals?: true;
}

export function stockbookCommand(): Command {
  return new Command('stockbook')
    .description('keep an account equal to one of another Stockbook')
    .requiredOption('--from <URL>', 'the address of the account to copy')
    .requiredOption('--from-key-file <FILE>', 'a file with an API key of it, which needs the scope read')
    .requiredOption('--url <URL>', 'the address of the account that is kept equal')
    .requiredOption('--key-file <FILE>', 'a file with an API key of it, which needs the scopes read and edit')
    .option('--resource <NAMES...>', `which of ${RESOURCE_NAMES.join(', ')}; all by default`, [...RESOURCE_NAMES])
    .option('--source <NAME>', 'what the names of the sources begin with', 'stockbook')
    .option('--once', 'bring the account up to date, prove that both are equal, and exit')
    .option('--confirm-removals', 'replace records that no mirror has written')
    .action(run);
}

async function run(options: Options): Promise<void> {
  const log = new EventLog();
  await untilInterrupted([ForeignCursor], async (signal) => {
    const mirror = {
      from: {
        url: checkedUrl('--from', options.from),
        key: readKeyFile(options.fromKeyFile),
        onKeyExpiring: warnOfExpiry(log, '--from-key-file'),
      },
      to: {
        url: checkedUrl('--url', options.url),
        key: readKeyFile(options.keyFile),
        onKeyExpiring: warnOfExpiry(log, '--key-file'),
      },
      resources: options.resource.map(checkedResource),
      source: options.source,
      confirmRemovals: options.confirmRemovals ?? false,
      log,
      signal,
    };
    if (!options.once) {
      log.event(`Mirroring ${options.from} to ${options.url}.`);
      await mirrorForever(mirror);
      log.event('Stopped.');
      return;
    }
    for (const one of await StockbookMirror.open(mirror)) {
      if (!(await one.bringUpToDate()))
        throw new CommandError('The accounts differ: one of them was changed meanwhile. Run it again.');
    }
    printResult('The accounts are equal.');
  });
}
