/** Defects that simulated time and networks find. */

import type { Defect, FindingTest } from './defect.ts';

/** A world finds what happens in it, so others follow. */
const RUNS = [1, 2, 3, 4, 5, 6].map((seed) => ({ mode: 'test', seed }) as const);

const FOUND_BY = {
  odoo: { file: 'simulator/odoo.slow.test.ts', name: 'Odoo 1', runs: RUNS },
  accounts: { file: 'simulator/stockbook.slow.test.ts', name: 'accounts 1', runs: RUNS },
  folder: { file: 'simulator/watch.slow.test.ts', name: 'folder 1', runs: RUNS },
  programs: { file: 'simulator/client.slow.test.ts', name: 'programs 1', runs: RUNS },
} as const satisfies Readonly<Record<string, FindingTest>>;

const MODEL_MIRROR = 'src/connectors/odoo/model-mirror.ts';
const ACCOUNT_MIRROR = 'src/connectors/stockbook/mirror-stockbook.ts';

export const simulatorDefects: readonly Defect[] = [
  {
    name: 'Odoo: what is committed late is not read',
    file: MODEL_MIRROR,
    text: 'secondsBefore(time, this.#options.overlap)',
    replacement: 'time',
    foundBy: FOUND_BY.odoo,
  },
  {
    name: 'Odoo: removals are not sent',
    file: MODEL_MIRROR,
    text: 'if (removed.length > 0) counts = sum(counts, await this.#send(removed, position));',
    replacement: '',
    foundBy: FOUND_BY.odoo,
  },
  {
    name: 'a mirror does not keep to Retry-After',
    file: 'src/connectors/mirror/run-forever.ts',
    text: 'Math.max(retryAfterOf(error), pauseBefore(failures, FIRST_PAUSE, clock))',
    replacement: 'pauseBefore(failures, FIRST_PAUSE, clock)',
    foundBy: FOUND_BY.odoo,
  },
  {
    name: 'a request that is sent again has another idempotency key',
    file: 'src/client/connection.ts',
    text: '    const response = await send(this.#base + path',
    replacement:
      // biome-ignore lint/suspicious/noTemplateCurlyInString: It is the text of a program.
      "    if (method === 'POST') headers.set('idempotency-key', `\"${crypto.randomUUID()}\"`);\n    const response = await send(this.#base + path",
    foundBy: FOUND_BY.programs,
  },
  {
    name: 'a watched file is imported again after a restart',
    file: 'src/cli/watch/watcher.ts',
    text: 'const loaded = expected === null ? undefined : await this.#loadedFile(expected);',
    replacement: 'const loaded: FoundFile | undefined = undefined;',
    foundBy: FOUND_BY.folder,
  },
  {
    name: 'a watched file is imported while it is written',
    file: 'src/cli/watch/settling.ts',
    text: 'now - since >= this.#period',
    replacement: 'now - since >= 0',
    foundBy: FOUND_BY.folder,
  },
  {
    name: 'a copy of an account keeps what was removed',
    file: ACCOUNT_MIRROR,
    text: 'const rows = [...page.records, ...page.removed.map((id) => ({ id, removed: true as const }))];',
    replacement: 'const rows = [...page.records];',
    foundBy: FOUND_BY.accounts,
  },
  {
    name: 'a copy of an account takes a page for read before it is written',
    file: ACCOUNT_MIRROR,
    text: '      if (!isEmpty(page)) await this.#send(rows, page.cursor);',
    replacement: '      this.#cursor = page.cursor;\n      if (!isEmpty(page)) await this.#send(rows, page.cursor);',
    foundBy: FOUND_BY.accounts,
  },
];
