/** An import adds nothing a second time without being told to. */

import { describe, expect, test } from 'vitest';
import type { OwnField } from '../../src/catalog/own-field.ts';
import { product } from '../../src/catalog/product.ts';
import { engines } from '../support/engines.ts';
import { addAccount } from '../support/fixture.ts';
import { bodyOf, checkReply, PARTNERS, PRODUCTS } from '../support/rows.ts';
import { bearer, type TestService } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

const CSV = 'text/csv';

const SKU: OwnField = { name: 'x_sku', label: 'SKU', type: 'text', meaning: 'unique', initial: null, unique: true };

const CHAIRS = 'default_code,name,list_price\nCHAIR-1,Oak chair,129.5\nDESK-1,Writing desk,249\n';

const KEY = {
  parameter: 'key',
  value: 'default_code',
  meaning: 'changes the products with the same default_code, and adds the others',
};

describe.each(engines)('on $name', (engine) => {
  const service = sharedService(engine);
  let accounts = 0;

  const owner = async ({ store, issue, send }: TestService = service) => {
    accounts += 1;
    const account = await addAccount(store, `adder-${accounts}`);
    const headers = bearer(await issue(account, { scopes: ['read', 'edit'] }));
    const post = (body: string, query = '', path = PRODUCTS, more: Record<string, string> = {}) =>
      send({
        method: 'POST',
        path: `${path}/import${query}`,
        headers: { ...headers, 'content-type': CSV, ...more },
        body,
      });
    const total = async (path = PRODUCTS) => bodyOf(await send({ path: `${path}?limit=1`, headers })).meta.total;
    const remove = (id: number) => send({ method: 'DELETE', path: `${PRODUCTS}/${id}`, headers });
    return { post, total, remove };
  };

  const asks = (question: unknown, choices: readonly object[], suggestion: string) => ({
    status: 422,
    has: {
      code: 'decision_required',
      suggestion,
      questions: [{ parameter: 'add', question, choices }],
    },
  });

  test('a file that is imported twice is a question, and both answers work', async () => {
    const { post, total } = await owner();
    checkReply(await post(CHAIRS), { status: 200, has: { data: expect.objectContaining({ created: 2 }) } });
    const again = await post(CHAIRS);
    const [question] = Object(again.json).questions;
    checkReply(
      again,
      asks(
        expect.stringMatching(
          /^The import would add 2 products, but 2 of the 2 new rows have the default_code of products that exist, and the same content was imported at \d{4}-.*Z\.$/,
        ),
        [KEY, { value: 'true', meaning: 'adds them once more' }],
        'Add key=default_code (changes the products with the same default_code, and adds the others) or add=true (adds them once more).',
      ),
    );
    expect(question.question).toBe(Object(again.json).detail.replace(' Nothing was changed.', ''));
    expect(await total()).toBe(2);
    const keyed = await post(CHAIRS, '?key=default_code');
    checkReply(keyed, { status: 200, has: { data: expect.objectContaining({ created: 0, unchanged: 2 }) } });
    const added = await post(CHAIRS, '?add=true');
    checkReply(added, { status: 200, has: { data: expect.objectContaining({ created: 2 }) } });
    expect(await total()).toBe(4);
  });

  test('says how many rows have a code that exists, also among many, and in a dry run', async () => {
    const { post } = await owner();
    await post(CHAIRS);
    for (const count of [3, 600]) {
      const rows = Array.from({ length: count - 1 }, (_, n) => `NEW-${n},New ${n},1\n`).join('');
      for (const query of ['', '?dry_run=true', '?on_error=skip']) {
        checkReply(
          await post(`default_code,name,list_price\nDESK-1,Writing desk,249\n${rows}`, query),
          asks(
            `The import would add ${count} products, but 1 of the ${count} new rows has the default_code of a product that exists.`,
            [KEY, { value: 'true', meaning: 'adds them once more' }],
            expect.stringContaining('key=default_code'),
          ),
        );
      }
    }
  });

  test('the same content without codes is a question as well, with the one answer that there is', async () => {
    const { post, total } = await owner();
    const names = 'name\nAda\nGrace\n';
    checkReply(await post(names, '', PARTNERS), { status: 200 });
    checkReply(
      await post(names, '', PARTNERS),
      asks(
        expect.stringMatching(/^The import would add 2 partners, but the same content was imported at .*\.$/),
        [{ value: 'true', meaning: 'adds them once more' }],
        'Add add=true (adds them once more).',
      ),
    );
    checkReply(await post('name\nAda\n', '', PARTNERS), { status: 200 });
    checkReply(await post(names, '?add=true', PARTNERS), { status: 200 });
    expect(await total(PARTNERS)).toBe(5);
  });

  test('asks nothing if nothing would be added twice', async () => {
    const { post, remove } = await owner();
    const first = Object((await post('name\nA\n')).json);
    expect(first.data.created).toBe(1);
    // Rows with ids, other content, codes that nobody has, and those of removed records.
    for (const body of ['id,name\n7,B\n', 'id,name\n7,B\n', 'default_code,name\nA,A\n', 'default_code,name\n,A\n,B\n'])
      checkReply(await post(body), { status: 200 });
    expect(await remove(8)).toRespond(204);
    checkReply(await post('default_code,name,active\nA,A,true\n'), { status: 200 });
    // What was refused, or tried, was not imported.
    checkReply(await post('name\nX\n', '?dry_run=true'), { status: 200 });
    checkReply(await post('name\nX\n'), { status: 200 });
    // Whoever removes the others has been asked.
    checkReply(await post('default_code,name,active\nA,A,true\n', '?replace=true&confirm=true'), { status: 200 });
  });

  test('imports at the same time add the rows once', async () => {
    const { post, total } = await owner();
    const replies = await Promise.all(Array.from({ length: 8 }, () => post(CHAIRS)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(422)]);
    expect(await total()).toBe(2);
  });

  test('a repeated request gets the answer of the first one', async () => {
    const { post, total } = await owner();
    const key = { 'idempotency-key': '"k-1"' };
    const first = await post(CHAIRS, '', PRODUCTS, key);
    const { created, cursor } = bodyOf(first).data;
    expect(bodyOf(await post(CHAIRS, '', PRODUCTS, key)).data).toMatchObject({ created, cursor });
    expect(await total()).toBe(2);
  });

  test('a unique field of an operator is a code, which cannot be added twice', async () => {
    await service.store.fields.add(await service.store.fields.catalog(), product, SKU);
    const { post } = await owner();
    await post('name,x_sku\nA,s-1\n');
    for (const query of ['', '?on_error=skip']) {
      checkReply(
        await post('name,x_sku\nB,s-1\nC,s-2\n', query),
        asks(
          'The import would add 2 products, but 1 of the 2 new rows has the x_sku of a product that exists.',
          [{ parameter: 'key', value: 'x_sku', meaning: expect.any(String) }],
          'Add key=x_sku (changes the products with the same x_sku, and adds the others).',
        ),
      );
    }
    checkReply(
      await post('name,x_sku\nB,s-1\nC,\n'),
      asks(
        'The import would add 2 products, but 1 of the 2 new rows has the x_sku of a product that exists. x_sku cannot be the key: 1 of the 2 new rows has no x_sku.',
        [],
        'Correct the rows, and import them again.',
      ),
    );
    checkReply(await post('name,x_sku\nB,s-1\nC,s-2\n', '?key=x_sku'), {
      status: 200,
      has: { data: expect.objectContaining({ created: 1, updated: 1 }) },
    });
  });

  test.each([
    ['a row without it', 'default_code,name\nCHAIR-1,A\n,B\n', '1 of the 2 new rows has no default_code'],
    [
      'a code twice',
      'default_code,name\nDESK-1,A\nX,B\nX,C\n',
      '2 of the 3 new rows have a default_code that another row has',
    ],
    [
      'a code of several records',
      'default_code,name\nTWICE,A\nX,B\n',
      '1 of the 2 new rows has a default_code that several products have',
    ],
    ['ids in other rows', 'id,default_code,name\n,CHAIR-1,A\n900,X,B\n', 'rows have ids'],
    ['an empty column of ids', 'id,default_code,name\n,CHAIR-1,A\n', 'rows have ids'],
  ])('a code that cannot be the key is not offered: %s', async (_, body, flaw) => {
    const { post } = await owner();
    await post(`${CHAIRS}TWICE,One,1\nTWICE,Two,2\n`);
    const reply = await post(body);
    checkReply(
      reply,
      asks(
        expect.stringContaining(` default_code cannot be the key: ${flaw}.`),
        [{ value: 'true', meaning: expect.stringMatching(/^adds (it|them) once more$/) }],
        expect.stringMatching(/^Add add=true \(adds (it|them) once more\)\.$/),
      ),
    );
    expect(await post(body, '?key=default_code')).toRespond(422);
    checkReply(await post(body, '?add=true'), { status: 200 });
  });

  test('messages for the client name its options', async () => {
    const { post } = await owner();
    await post(CHAIRS);
    checkReply(await post(CHAIRS, '', PRODUCTS, { prefer: 'wording=client' }), {
      status: 422,
      has: { suggestion: expect.stringMatching(/^Add key: 'default_code' \(.*\) or add: true \(.*\)\.$/) },
    });
  });

  test.each(['?add=true&key=default_code', '?add=yes'])('%s is an invalid option', async (query) => {
    const { post } = await owner();
    checkReply(await post(CHAIRS, query), { status: 400, has: { code: 'invalid_import_option', parameter: 'add' } });
  });
});
