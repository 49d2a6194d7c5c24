/** stockbook mirror stockbook */

import { Command } from 'commander';
import { ForeignCursor, mirrorForever, StockbookMirror } from '../../connectors/stockbook/mirror-stockbook.ts';
import { CommandError } from '../command-error.ts';
import { checkedUrl, readKeyFile } from '../over-http.ts';
import { checkedResources, listed, RESOURCES_HELP, runMirror, warnOfExpiry } from './run-mirror.ts';

interface Options {
  readonly from: string;
  readonly fromKeyFile: string;
  readonly url: string;
  readonly keyFile: string;
  readonly resource?: readonly string[];
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
    .option('--resource <LIST>', RESOURCES_HELP, listed)
    .option('--source <NAME>', 'what the names of the sources begin with', 'stockbook')
    .option('--once', 'bring the account up to date, prove that both are equal, and exit')
    .option('--confirm-removals', 'replace records that no mirror has written')
    .action(run);
}

async function run(options: Options): Promise<void> {
  const once = options.once ?? false;
  await runMirror({ isEndless: !once, expected: [ForeignCursor] }, async (given) => {
    const { log, result } = given;
    const mirror = {
      ...given,
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
      resources: checkedResources(options.resource),
      source: options.source,
      confirmRemovals: options.confirmRemovals ?? false,
    };
    if (!once) {
      log.event(`Mirroring ${options.from} to ${options.url}.`);
      await mirrorForever(mirror);
      log.event('Stopped.');
      return;
    }
    const mirrors = await StockbookMirror.open(mirror);
    for (const one of mirrors) {
      if (!(await one.bringUpToDate()))
        throw new CommandError('The accounts differ: one of them was changed meanwhile. Run it again.');
    }
    const isPart = mirrors.some(({ leftOut }) => leftOut.length > 0);
    result(`The accounts are equal${isPart ? ' in the fields that both have' : ''}.`);
  });
}
