/** Loads whose rows are matched to records by another field than id. */

import { describe, expect, test } from 'vitest';
import { product } from '../../../src/catalog/product.ts';
import { engines } from '../../support/engines.ts';
import { fieldOf, LATER, NOW, tabled } from '../../support/fixture.ts';
import { CODE, ledgerOf, linesOf, loadBy, loaded } from '../../support/loads.ts';
import { sharedStore } from '../../support/shared.ts';

describe.each(engines)('on $name', (engine) => {
  const opened = sharedStore(engine);

  test('a row updates the record with its key, or creates one', async () => {
    const owner = await opened.account();
    await opened.load(
      owner,
      product,
      tabled('id name default_code list_price', [5, 'Chair', 'C', 1], [6, 'Desk', 'D', 2], [7, 'Lamp', 'L', 3]),
    );
    expect(
      await loadBy(
        opened,
        owner,
        product,
        { key: CODE },
        tabled('default_code name list_price', ['N', 'New'], ['D', 'Desk', 20], ['C', 'Chair'], ['M', 'Newer']),
      ),
    ).toEqual(loaded({ created: 2, updated: 1, unchanged: 1 }));
    expect(await linesOf(opened, owner, product, 'id,name,default_code,list_price')).toEqual([
      '5 Chair C 1',
      '6 Desk D 20',
      '7 Lamp L 3',
      '8 New N 0',
      '9 Newer M 0',
    ]);
    expect(await ledgerOf(opened, owner, product)).toEqual({ revision: 2, rows: 5 });
    expect(await opened.stamps(owner, product, [5, 6, 7, 8])).toEqual([1, 2, 1, 2]);
  });

  test('only changed records get a new write date', async () => {
    const owner = await opened.account();
    await opened.load(owner, product, tabled('id name default_code', [1, 'A', 'a'], [2, 'B', 'b']));
    await loadBy(opened, owner, product, { key: CODE }, tabled('default_code name', ['a', 'A'], ['b', 'BB']));
    expect(await linesOf(opened, owner, product, 'name,create_date,write_date')).toEqual([
      `A ${NOW} ${NOW}`,
      `BB ${NOW} ${LATER}`,
    ]);
  });

  test('keys are compared exactly: case and spaces matter, and the empty string is a key', async () => {
    const owner = await opened.account();
    await opened.load(
      owner,
      product,
      tabled('id name default_code', [1, 'small', 'a'], [2, 'empty', ''], [3, 'none', null]),
    );
    expect(
      await loadBy(
        opened,
        owner,
        product,
        { key: CODE },
        tabled('default_code name', ['A', 'large'], ['a ', 'padded'], ['', 'was empty']),
      ),
    ).toEqual(loaded({ created: 2, updated: 1 }));
    expect(await linesOf(opened, owner, product)).toEqual(['1 small', '2 was empty', '3 none', '4 large', '5 padded']);
  });

  test('the key can be an integer', async () => {
    const owner = await opened.account();
    await opened.load(owner, product, tabled('id name product_tmpl_id', [1, 'A', 77], [2, 'B', null]));
    const key = fieldOf(product, 'product_tmpl_id');
    expect(
      await loadBy(opened, owner, product, { key }, tabled('product_tmpl_id name', [77, 'AA'], [-5, 'C'])),
    ).toEqual(loaded({ created: 1, updated: 1 }));
    expect(await linesOf(opened, owner, product)).toEqual(['1 AA', '2 B', '3 C']);
    expect(await loadBy(opened, owner, product, { key }, tabled('product_tmpl_id name', [4, 'x'], [4, 'y']))).toEqual({
      kind: 'refused',
      errors: { count: 1, first: [{ line: 3, column: 'product_tmpl_id', reason: 'duplicate 4', first: 2 }] },
    });
  });

  test('a key of several records is an error, and nothing is changed', async () => {
    const owner = await opened.account();
    await opened.load(
      owner,
      product,
      tabled('id name default_code', [1, 'A', 'same'], [2, 'B', 'same'], [3, 'C', 'other']),
    );
    expect(
      await loadBy(
        opened,
        owner,
        product,
        { key: CODE },
        tabled('default_code name', ['other', 'changed'], ['same', 'which?']),
      ),
    ).toEqual({
      kind: 'refused',
      errors: { count: 1, first: [{ line: 3, column: 'default_code', reason: 'same belongs to several products' }] },
    });
    expect(await linesOf(opened, owner, product)).toEqual(['1 A', '2 B', '3 C']);
    expect(await ledgerOf(opened, owner, product)).toEqual({ revision: 1, rows: 3 });
    expect(await loadBy(opened, owner, product, { key: CODE }, [{ default_code: 'other', name: 'changed' }])).toEqual(
      loaded({ updated: 1 }),
    );
  });

  test('a duplicate key is an error that names its first line', async () => {
    const owner = await opened.account();
    expect(
      await loadBy(
        opened,
        owner,
        product,
        { key: CODE },
        tabled('default_code name', ['x', 'A'], ['y', 'B'], ['x', 'C'], ['x', 'D']),
      ),
    ).toEqual({
      kind: 'refused',
      errors: {
        count: 2,
        first: tabled(
          'line column reason first',
          [4, 'default_code', 'duplicate x', 2],
          [5, 'default_code', 'duplicate x', 2],
        ),
      },
    });
    expect(await ledgerOf(opened, owner, product)).toEqual({ revision: 0, rows: 0 });
  });

  test('records of other accounts with the same key play no part', async () => {
    const [owner, other] = [await opened.account(), await opened.account()];
    await opened.load(other, product, tabled('id name default_code', [1, 'theirs', 'k'], [2, 'theirs too', 'k']));
    await opened.load(owner, product, [{ id: 9, name: 'mine', default_code: 'k' }]);
    expect(await loadBy(opened, owner, product, { key: CODE }, [{ default_code: 'k', name: 'changed' }])).toEqual(
      loaded({ updated: 1 }),
    );
    expect(await linesOf(opened, owner, product)).toEqual(['9 changed']);
    expect(await linesOf(opened, other, product)).toEqual(['1 theirs', '2 theirs too']);
    expect(await ledgerOf(opened, other, product)).toEqual({ revision: 1, rows: 2 });
  });
});
