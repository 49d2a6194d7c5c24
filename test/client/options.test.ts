/** An option that a method does not have is an error: in plain JavaScript, no compiler finds it. */

import { expect, test } from 'vitest';
import { type Copy, type Product, StartedImport, Stockbook, signIn } from '../../src/client/index.ts';

let requests = 0;
const OPTIONS = {
  url: 'http://127.0.0.1',
  retries: 0,
  fetch: async () => {
    requests += 1;
    return Response.json({});
  },
};
const stockbook = new Stockbook(OPTIONS);
const { products, partners, imports, sources, views } = stockbook;
const started = new StartedImport(imports, 'abc');
let calls = 0;
const copied = () => {
  calls += 1;
};
const copy: Copy<Product> = { load: () => undefined, put: copied, delete: copied, save: copied, clear: copied };
const view = { name: 'Low stock', resource: 'product', query: '' };

/** What has methods, and a call of each method with options that nobody has checked. */
const methods: readonly [object, Readonly<Record<string, (options: object) => unknown>>][] = [
  [stockbook, { me: (options) => stockbook.me(options), fields: (options) => stockbook.fields(options) }],
  [
    partners,
    {
      list: (options) => products.list(options),
      get: (options) => products.get(1, options),
      getTagged: (options) => products.getTagged(1, options),
      update: (options) => products.update(1, { name: 'Chair' }, options),
      remove: (options) => products.remove(1, options),
      import: (options) => products.import([{ name: 'Chair' }], options),
      each: (options) => products.each(options),
      stream: (options) => products.stream(options),
      csv: (options) => products.csv(options),
      xlsx: (options) => products.xlsx(options),
      changes: (options) => products.changes(options),
      digest: (options) => products.digest(options),
      mirror: (options) => products.mirror(copy, options),
      aggregate: (options) => products.aggregate(options),
      create: (options) => partners.create({ name: 'Azure Interior' }, options),
    },
  ],
  [
    imports,
    {
      list: (options) => imports.list(options),
      get: (options) => imports.get('abc', options),
      cancel: (options) => imports.cancel('abc', options),
      done: (options) => imports.done('abc', options),
    },
  ],
  [started, { cancel: (options) => started.cancel(options), done: (options) => started.done(options) }],
  [
    sources,
    {
      list: (options) => sources.list(options),
      get: (options) => sources.get('erp', options),
      remove: (options) => sources.remove('erp', options),
    },
  ],
  [
    views,
    {
      list: (options) => views.list(options),
      get: (options) => views.get('low-stock', options),
      save: (options) => views.save('low-stock', view, options),
      remove: (options) => views.remove('low-stock', options),
    },
  ],
];

/** Those that have no options. */
const WITHOUT = ['constructor', 'where'];

function methodsOf(object: object): readonly string[] {
  const names: string[] = [];
  for (let type = Object.getPrototypeOf(object); type !== Object.prototype; type = Object.getPrototypeOf(type))
    names.push(...Object.getOwnPropertyNames(type));
  return [...new Set(names)].filter((name) => !WITHOUT.includes(name));
}

/** The error of a call, and of the first step of what it returns. */
async function errorOf(call: () => unknown): Promise<unknown> {
  try {
    const result = await call();
    if (typeof result === 'object' && result !== null && 'next' in result) await Object(result).next();
  } catch (error) {
    return error;
  }
  return undefined;
}

test('every method is tested', () => {
  for (const [object, tested] of methods) expect(Object.keys(tested).toSorted()).toEqual(methodsOf(object).toSorted());
});

const all = methods.flatMap(([object, calls]) =>
  Object.entries(calls).map(([name, call]) => ({ type: object.constructor.name, name, call })),
);

test.each(all)('$type: $name does nothing with an option that it does not have', async ({ name, call }) => {
  const error = await errorOf(() => call({ nonsense: undefined }));
  expect(error).toBeInstanceOf(TypeError);
  expect(String(error)).toMatch(`${name} has no option nonsense. Its options are `);
  expect(String(error)).toMatch('signal, timeout, retries');
  expect({ requests, calls }).toEqual({ requests: 0, calls: 0 });
});

test.each([
  ['import', 'dry_run', 'dryRun', () => products.import([{ name: 'Chair' }], Object({ dry_run: true }))],
  ['import', 'on_error', 'onError', () => products.import([{ name: 'Chair' }], Object({ on_error: 'skip' }))],
  ['update', 'if-match', 'ifMatch', () => products.update(1, { name: 'Chair' }, Object({ 'if-match': '*' }))],
  ['csv', 'excel-safe', 'excelSafe', () => products.csv(Object({ 'excel-safe': true })).next()],
  ['create', 'IdempotencyKey', 'idempotencyKey', () => partners.create({ name: 'A' }, Object({ IdempotencyKey: 'k' }))],
])('%s does not take %s for %s, but says so', async (method, option, meant, call) => {
  await expect(call()).rejects.toThrow(new TypeError(`${method} has no option ${option}. Did you mean ${meant}?`));
  expect(requests).toBe(0);
});

test.each(['constructor', 'toString', '__proto__x'])('%s is no option, either', async (name) => {
  await expect(products.list(Object({ [name]: 1 }))).rejects.toThrow(`list has no option ${name}.`);
});

test('neither do clients have other options, nor signing in', async () => {
  expect(() => new Stockbook(Object({ ...OPTIONS, apiKey: 'k' }))).toThrow(
    'Stockbook has no option apiKey. Its options are url, key, ',
  );
  await expect(signIn(Object({ ...OPTIONS, code: 'c', key: 'k' }))).rejects.toThrow('signIn has no option key.');
  expect(requests).toBe(0);
});

test('waiting for a change needs the tag of what was read', async () => {
  await expect(products.list(Object({ wait: 5 }))).rejects.toThrow('wait needs ifNoneMatch.');
  expect(requests).toBe(0);
});
