/** Exports: all matching records as lines, read in one snapshot. */

import { beforeAll, describe, expect, test } from 'vitest';
import { builtInCatalog } from '../../../src/catalog/catalog.ts';
import { company } from '../../../src/catalog/company.ts';
import { partner } from '../../../src/catalog/partner.ts';
import { product } from '../../../src/catalog/product.ts';
import type { Resource } from '../../../src/catalog/resource.ts';
import type { StreamFormat } from '../../../src/request/accept.ts';
import { type Account, type Export, plainLoad } from '../../../src/store/store.ts';
import { engines } from '../../support/engines.ts';
import { CSV, EXCEL_SAFE, heldSnapshots, NDJSON, openExport, restOf } from '../../support/exports.ts';
import {
  companies,
  type Fixture,
  fill,
  NOW,
  partners,
  products,
  type RecordValues,
  valuesOf,
} from '../../support/fixture.ts';
import { rounds } from '../../support/rounds.ts';
import { sharedStore } from '../../support/shared.ts';

/** Enough for several chunks on every engine. */
const MANY = 6_000;

describe.each(engines)('on $name', (engine) => {
  const opened = sharedStore(engine);
  let fixture: Fixture;
  /** Has many partners. Nothing changes it. */
  let large: Account;
  beforeAll(async () => {
    fixture = await fill(opened.store);
    large = await many();
  });

  const open = async (
    { id }: Account,
    resource: Resource,
    format: StreamFormat = NDJSON,
    values: Readonly<Record<string, string>> = {},
  ): Promise<Export> => {
    const found = await openExport(opened.store, id, resource, format, values);
    if (found === undefined) throw new Error('the account does not exist');
    return found;
  };
  /** The whole export with its facts. */
  const exported = async (...request: Parameters<typeof open>) => {
    const found = await open(...request);
    const { rows, total, version } = found;
    const text = await restOf(found);
    await found.close();
    return { rows, total, revision: version.revision, text };
  };
  const lines = (text: string): readonly RecordValues[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  const partnersNamed = async (owner: Account, names: readonly string[]) => {
    await opened.load(
      owner,
      partner,
      names.map((name) => ({ name })),
    );
  };
  const many = async () => {
    const owner = await opened.account();
    await partnersNamed(
      owner,
      Array.from({ length: MANY }, (_, n) => `Partner ${n} ${'x'.repeat(100)}`),
    );
    return owner;
  };

  describe('lines', () => {
    test.each([
      { resource: product, records: products },
      { resource: partner, records: partners },
      { resource: company, records: companies },
    ])('of NDJSON have every field of every record: $resource.plural', async ({ resource, records }) => {
      const { text, rows, total } = await exported(fixture.acme, resource);
      expect(text.slice(-2)).toBe('}\n');
      expect(lines(text)).toEqual(records);
      expect(lines(text).map((line) => Object.keys(line))).toEqual(records.map((record) => Object.keys(record)));
      expect({ rows, total }).toEqual({ rows: records.length, total: records.length });
    });

    test('of CSV end with CR LF, quote text, and leave null empty', async () => {
      const fields = 'id,name,default_code,list_price,active,categ_id,is_rsd_product,create_date';
      const { text } = await exported(fixture.acme, product, CSV, { fields, filter: 'id[1,3,5,6,14]' });
      expect(text).toBe(
        [
          '1,"Oak Chair","CHR-1",120.5,true,1,,2026-01-01T00:00:00.000Z',
          '3,"oak table",,260,false,,false,2026-01-01T00:00:00.000Z',
          '5,"100% Wool_Rug ""A&B|C""","a>b",0.1,true,3,,2026-01-01T00:00:00.000Z',
          '6,"ΟΔΟΣ","",1e+21,false,9007199254740991,,2026-01-01T00:00:00.000Z',
          '14,""," padded ",5e-324,true,0,true,2026-01-01T00:00:00.000Z',
          '',
        ].join('\r\n'),
      );
    });

    test('preserve line breaks, quotes and delimiters', async () => {
      const owner = await opened.account();
      const awkward = ['a\r\nb', '\r', '"', '""', 'x,y;z\tw', ' padded ', '\ufeffBOM', "'=1", '😀 \u2028'];
      await partnersNamed(owner, awkward);
      expect((await exported(owner, partner, CSV, { fields: 'name' })).text).toBe(
        awkward.map((name) => `"${name.replaceAll('"', '""')}"\r\n`).join(''),
      );
      const { text } = await exported(owner, partner, NDJSON, { fields: 'name' });
      expect(lines(text)).toEqual(awkward.map((name) => ({ name })));
      expect(text.split('\n')).toHaveLength(awkward.length + 1);
    });

    test('are complete in every chunk', async () => {
      for (const format of [NDJSON, CSV]) {
        const found = await open(large, partner, format, { fields: 'id,name' });
        const chunks: string[] = [];
        for (let chunk = await found.next(); chunk !== undefined; chunk = await found.next())
          chunks.push(Buffer.from(chunk).toString('utf8'));
        await found.close();
        expect(chunks.length).toBeGreaterThan(2);
        expect(chunks.filter((chunk) => !chunk.endsWith('\n'))).toEqual([]);
        expect(chunks.join('').split('\n')).toHaveLength(MANY + 1);
      }
    });
  });

  describe('the selection', () => {
    test('follows filter, sort and fields like a list', async () => {
      const values = { filter: 'name*oak|list_price>100', sort: '-list_price,name', fields: 'name,id' };
      expect(await exported(fixture.acme, product, NDJSON, values)).toMatchObject({
        rows: 6,
        total: 6,
        revision: 1,
        text: [
          '{"name":"ΟΔΟΣ","id":6}',
          '{"name":"Steel Desk","id":2}',
          '{"name":"oak table","id":3}',
          '{"name":"Screen 24\\" (small), [new]","id":11}',
          '{"name":"null","id":10}',
          '{"name":"Oak Chair","id":1}',
          '',
        ].join('\n'),
      });
    });

    test('is a page if one is requested, and empty past the last page', async () => {
      const page = async (values: Readonly<Record<string, string>>) => {
        const { rows, total, text } = await exported(fixture.acme, product, CSV, { fields: 'id', ...values });
        return { rows, total, ids: text.split('\r\n').slice(0, -1).map(Number) };
      };
      expect(await page({ page: '2', limit: '5' })).toEqual({ rows: 5, total: 12, ids: [6, 10, 11, 12, 13] });
      expect(await page({ page: '3', limit: '5' })).toEqual({ rows: 2, total: 12, ids: [14, 15] });
      expect(await page({ page: '4', limit: '5' })).toEqual({ rows: 0, total: 12, ids: [] });
      expect(await page({ page: '9007199254740991', limit: '1000' })).toEqual({ rows: 0, total: 12, ids: [] });
      expect(await page({ page: '2' })).toEqual({ rows: 2, total: 12, ids: [14, 15] });
      expect(await page({ limit: '2', filter: 'active=false' })).toEqual({ rows: 2, total: 2, ids: [3, 6] });
      expect(await page({ filter: 'id=4' })).toEqual({ rows: 1, total: 1, ids: [4] });
    });

    test('is all records if no page is requested', async () => {
      const { rows, total, text } = await exported(large, partner, NDJSON, { fields: 'id' });
      expect({ rows, total }).toEqual({ rows: MANY, total: MANY });
      expect(lines(text)).toEqual(Array.from({ length: MANY }, (_, n) => ({ id: n + 1 })));
    });

    test('never includes records of other accounts', async () => {
      for (const resource of builtInCatalog.resources) {
        const { text } = await exported(fixture.acme, resource);
        expect(text).not.toContain('Globex');
      }
      expect(await exported(fixture.globex, product, NDJSON, { fields: 'id' })).toMatchObject({ text: '{"id":7}\n' });
      expect(await exported(fixture.globex, company)).toMatchObject({ rows: 0, total: 0, text: '' });
    });
  });

  test('an account that does not exist has no export', async () => {
    expect(await openExport(opened.store, 999_999, product, NDJSON)).toBeUndefined();
    const gone = await opened.account();
    await opened.store.accounts.remove(gone.id);
    expect(await openExport(opened.store, gone.id, product, CSV)).toBeUndefined();
  });

  describe('the snapshot', () => {
    test('is the same from the first chunk to the last, whatever is written meanwhile', async () => {
      const owner = await many();
      const [plain, filtered] = [
        await open(owner, partner, NDJSON, { fields: 'id,name' }),
        await open(owner, partner, CSV, { fields: 'id', filter: 'name*partner' }),
      ];
      const facts = { rows: MANY, total: MANY, version: { revision: 1 } };
      expect(plain).toMatchObject(facts);
      expect(filtered).toMatchObject(facts);
      const begun = Buffer.from((await plain.next()) ?? '').toString();

      expect(await opened.create(owner, 'Partner created meanwhile')).toEqual({ id: MANY + 1 });
      const changes = async function* () {
        yield [1, MANY / 2, MANY].map((id) => ({ line: id, values: valuesOf(partner, { id, name: 'Changed' }) }));
      };
      await opened.store.records.load({ account: owner.id }, plainLoad(partner, NOW), changes());
      await opened.store.records.load({ account: owner.id }, { ...plainLoad(partner, NOW), replace: true }, changes());

      const text = begun + (await restOf(plain));
      expect(lines(text)).toEqual(
        Array.from({ length: MANY }, (_, n) => ({ id: n + 1, name: `Partner ${n} ${'x'.repeat(100)}` })),
      );
      expect(await restOf(filtered)).toBe(Array.from({ length: MANY }, (_, n) => `${n + 1}\r\n`).join(''));
      expect(plain).toMatchObject(facts);
      await Promise.all([plain.close(), filtered.close()]);
      expect(await exported(owner, partner, CSV, { fields: 'name', filter: 'id>0' })).toEqual({
        rows: 3,
        total: 3,
        revision: 4,
        text: '"Changed"\r\n"Changed"\r\n"Changed"\r\n',
      });
    });

    test('survives the removal of the account', async () => {
      const owner = await many();
      const found = await open(owner, partner, CSV, { fields: 'id' });
      await opened.store.accounts.remove(owner.id);
      expect((await restOf(found)).split('\r\n')).toHaveLength(MANY + 1);
      await found.close();
    });

    test('has rows, total and revision that agree with the lines during writes', async () => {
      const owner = await opened.account();
      let isWriting = true;
      const writing = (async () => {
        for (let n = 0; n < 40; n += 1) await Promise.all([opened.create(owner, 'A'), opened.create(owner, 'B')]);
        isWriting = false;
      })();
      while (isWriting) {
        const [all, some] = await Promise.all([
          exported(owner, partner, CSV, { fields: 'id' }),
          exported(owner, partner, CSV, { fields: 'id', filter: 'name=A' }),
        ]);
        expect(all.text.split('\r\n')).toHaveLength(all.rows + 1);
        expect(all.revision).toBe(all.rows);
        expect(some.text.split('\r\n')).toHaveLength(some.rows + 1);
      }
      await writing;
      expect(await exported(owner, partner, CSV, { fields: 'id' })).toMatchObject({ rows: 80, revision: 80 });
    });
  });

  describe('for spreadsheets', () => {
    const starts = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

    test('text that starts like a formula is escaped, and nothing else', async () => {
      const owner = await opened.account();
      const harmless = ['1=1', ' =1', "'=1", 'a-b', '\u00a0+1', '"=1"', '÷'];
      await partnersNamed(owner, [...starts.map((start) => `${start}1+1`), ...starts, ...harmless]);
      const cells = (name: string) => `"${name.replaceAll('"', '""')}"\r\n`;
      expect((await exported(owner, partner, EXCEL_SAFE, { fields: 'name' })).text).toBe(
        [...starts.map((start) => `'${start}1+1`), ...starts.map((start) => `'${start}`), ...harmless]
          .map(cells)
          .join(''),
      );
      expect((await exported(owner, partner, CSV, { fields: 'name' })).text).toBe(
        [...starts.map((start) => `${start}1+1`), ...starts, ...harmless].map(cells).join(''),
      );
    });

    test('null, the empty string and numbers stay as they are', async () => {
      const fields = 'default_code,list_price,product_tmpl_id';
      const { text } = await exported(fixture.acme, product, EXCEL_SAFE, { fields, filter: 'id[3,6,13]' });
      expect(text).toBe(',260,3\r\n"",1e+21,-5\r\n"2024",-12.5,13\r\n');
    });
  });

  describe('closing', () => {
    const held = () => heldSnapshots(opened.database);
    const isHeld = (number: number) => expect.poll(held).toBe(number);

    test('early releases the snapshot every time', async () => {
      const before = await held();
      for (let n = 0; n < rounds(8, 20); n += 1) {
        const found = await open(large, partner);
        if (n % 2 === 0) await found.next();
        await found.close();
      }
      await isHeld(before);
      expect((await exported(large, partner)).rows).toBe(MANY);
      await isHeld(before);
    });

    test('some of many exports does not affect the others', async () => {
      const before = await held();
      const found = await Promise.all(Array.from({ length: 20 }, () => open(large, partner, CSV, { fields: 'id' })));
      expect(await held()).toBeGreaterThanOrEqual(before + 20);
      const begun = await Promise.all(found.map(({ next }) => next()));
      await Promise.all(found.slice(1).map((one) => one.close()));
      const text = Buffer.from(begun[0] ?? '').toString() + (await restOf(found[0] ?? raise()));
      expect(text).toBe(Array.from({ length: MANY }, (_, n) => `${n + 1}\r\n`).join(''));
      await found[0]?.close();
      await isHeld(before);
    });

    test('is safe while a chunk is being read', async () => {
      const before = await held();
      for (let n = 0; n < 5; n += 1) {
        const found = await open(large, partner);
        const pending = found.next().catch(() => 'aborted');
        await found.close();
        await pending;
      }
      await isHeld(before);
    });

    test('is not needed for an account that does not exist', async () => {
      const before = await held();
      for (let n = 0; n < 5; n += 1) await openExport(opened.store, 999_999, product, NDJSON);
      await isHeld(before);
    });

    test('is not needed for an export that cannot be opened', async () => {
      const before = await held();
      await opened.database.execute('ALTER TABLE ledger RENAME TO misplaced');
      try {
        for (let n = 0; n < 5; n += 1) await expect(open(fixture.acme, company)).rejects.toThrow();
      } finally {
        await opened.database.execute('ALTER TABLE misplaced RENAME TO ledger');
      }
      await isHeld(before);
    });
  });
});

function raise(): never {
  throw new Error('the export is missing');
}
