/** `stockbook import` on files in a folder. The tests open its database as well. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { Resource } from '../../src/catalog/resource.ts';
import type { Account, Store } from '../../src/store/store.ts';
import { commands } from './commands.ts';
import { openDatabase } from './engines.ts';
import { addAccount, pageOf, recordsIn } from './fixture.ts';
import { sharedFolder } from './shared.ts';

/** From counts such as `2 created, 1 rejected`; all others are 0. */
export const summary = (counts: string) =>
  ['created', 'updated', 'unchanged', 'removed', 'rejected']
    .map((what) => `${new RegExp(`([\\d,]+) ${what}`).exec(counts)?.[1] ?? '0'} ${what}`)
    .join(', ');

export class Imports {
  readonly folder: string = sharedFolder().path;
  #store: Store | undefined;
  #account: Account | undefined;
  #named = 0;

  constructor() {
    beforeAll(async () => {
      mkdirSync(join(this.folder, 'data'));
      this.#store = await openDatabase(join(this.folder, 'data/stockbook.db'));
    });
    afterAll(() => this.#store?.close());
  }

  get store(): Store {
    if (this.#store === undefined) throw new Error('it is opened before the first test');
    return this.#store;
  }

  get account(): Account {
    if (this.#account === undefined) throw new Error('there is no account yet');
    return this.#account;
  }

  /** An account of its own keeps a test independent of the others. */
  withAccount = async () => {
    this.#named += 1;
    this.#account = await addAccount(this.store, `acme-${this.#named}`);
  };

  inFolder = (name: string) => join(this.folder, name);

  file = (name: string, content: string | Uint8Array) => {
    writeFileSync(this.inFolder(name), content);
    return name;
  };

  imported = (resource: Resource, name: string, ...flags: string[]) =>
    commands.run(['import', this.account.name, resource.name, name, ...flags], { folder: this.folder });

  listed = async (owner: Account, resource: Resource, values: Readonly<Record<string, string>> = {}) => {
    const page = await pageOf(this.store, owner, resource, values);
    return { total: page.total, revision: page.version.revision, records: recordsIn(page.records) };
  };

  rows = async (resource: Resource, fields = 'id,name') =>
    (await this.listed(this.account, resource, { fields })).records.map((record) => Object.values(record));

  succeeded = (counted: string, counts: string) => ({
    code: 0,
    stdout: `Imported ${counted} into ${this.account.name}: ${summary(counts)}.\n`,
    stderr: '',
  });
}
