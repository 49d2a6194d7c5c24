/** stockbook mirror */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commands } from '../support/commands.ts';
import { sqlite } from '../support/engines.ts';
import { ODOO_DATABASE, ODOO_KEY } from '../support/odoo-database.ts';
import { openMirrorBed } from '../support/odoo-mirror.ts';
import { start } from '../support/program.ts';
import { sharedFolder, sharedService } from '../support/shared.ts';

const folder = sharedFolder();
const service = sharedService(sqlite);

test('an Odoo is copied and verified, and its fields are listed', async () => {
  const { odoo, options } = await openMirrorBed(service, 19);
  const [odooKey, key] = [join(folder.path, 'odoo.key'), join(folder.path, 'stockbook.key')];
  writeFileSync(odooKey, `${ODOO_KEY}\n`);
  writeFileSync(key, options.account.key);
  const connected = [
    ...['mirror', 'odoo', '--odoo-url', options.odoo.url, '--odoo-db', ODOO_DATABASE],
    ...['--odoo-key-file', odooKey, '--url', options.account.url, '--key-file', key],
  ];
  const mirror = (...args: readonly string[]) =>
    commands.run([...connected, ...args], { folder: folder.path }).then(({ code, stdout, stderr }) => ({
      code,
      text: `${stdout}${stderr}`,
    }));
  const chair = odoo.create('product.product', { name: 'Chair' });
  expect(await mirror('--once')).toMatchObject({
    code: 0,
    text: expect.stringContaining('The account is up to date.'),
  });
  expect(await mirror('verify')).toMatchObject({ code: 0, text: 'Odoo and the account are equal.\n' });
  odoo.write('product.product', chair, { name: 'Table' });
  expect(await mirror('verify', '--interval', '1')).toMatchObject({
    code: 1,
    text: expect.stringMatching(
      /\nproduct \d+ differs in name: "Table" in Odoo, "Chair" in the account.*\n.*1 record differs between Odoo and the account\. To repair this, run the mirror with the same options and --once/s,
    ),
  });
  const { text } = await mirror('fields');
  expect(text).toMatch(/product +name +char +name +at once +mirrored/);
  expect(text).toMatch(/product +qty_available +float +qty_available +at once +mirrored/);
  expect(text).toMatch(
    /x_category_name +when everything is compared: it depends on categ_id\.name +stockbook field add/,
  );
  expect((await mirror('fields', '--field', 'list_price=virtual_available')).text).toContain(
    'product: list_price follows virtual_available only when everything is compared, every 86400 seconds (--compare-every)',
  );
  expect(text).toMatch(
    /product +weight +float +weight +at once +stockbook field add product x_weight number --label 'weight'; --field product\.x_weight=weight/,
  );
  const mapping = join(folder.path, 'pairs.txt');
  writeFileSync(mapping, '# own fields\n  list_price = weight # in kilograms\n\nno pair\n');
  for (const [args, message] of [
    [['--field', 'list_price=weight,x'], '--field must be a pair such as x_weight=weight, not "x".'],
    [['--field', 'prod.x=weight'], '--field: prod is none of product, partner, company.'],
    [['--mapping', mapping], `${mapping}, line 4 must be a pair such as x_weight=weight, not "no pair".`],
    [['--company', '1,x'], '--company must be ids such as 1,3, not "x".'],
    [['--url', `${options.account.url}/api/v1`], '--url must be the address without /api/v1'],
    [['--overlap', '60'], '--overlap must be a number of at least 120, not "60".'],
    [['--odoo-ca-file', mapping], `${mapping} has no certificate that can be read`],
    [['--resource', 'products'], '--resource must be one of product, partner, company, not "products".'],
    [['--odoo-key-file', 'missing'], 'missing cannot be read'],
  ] as const) {
    const refused = await mirror(...args);
    expect(refused.text).toContain(message);
    expect(refused.code).not.toBe(0);
  }

  // What ends by itself has not ended well if it is interrupted, unlike a mirror that runs.
  for (const [args, code] of [
    [['verify'], 143],
    [['--once'], 143],
    [[], 0],
  ] as const) {
    const reached = Promise.withResolvers<void>();
    odoo.onRequest = () => reached.resolve();
    const running = start([...connected, ...args], { folder: folder.path });
    await reached.promise;
    running.child.kill('SIGTERM');
    expect((await running.finished).code).toBe(code);
  }
});
