/**
 * Suggestions are applied literally. Whatever is wrong with a request, what its error or its hint suggests gets a 200 in one round, and means the
 * same values.
 */

import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { products } from '../../src/demo/samples.ts';
import { oneEngine } from '../support/engines.ts';
import { load, type RecordValues } from '../support/fixture.ts';
import { rounds } from '../support/rounds.ts';
import { PRODUCTS } from '../support/rows.ts';
import { bearer } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

/** A condition as other languages write it, and the same as we do. */
type Mistake = readonly [wrong: string, right: string];

const texts = (field: string, word: string, whole: string, other: string): readonly Mistake[] => [
  [`${field}==${whole}`, `${field}="${whole}"`],
  [`${field}=='${whole}'`, `${field}="${whole}"`],
  [`${field}='${whole}'`, `${field}="${whole}"`],
  [`${field}=*${word}*`, `${field}*${word}`],
  [`${field}=%${word}%`, `${field}*${word}`],
  [`${field}=*${word}`, `${field}*${word}`],
  [`${field}='%${word}%'`, `${field}*${word}`],
  [`${field}*${word}*`, `${field}*${word}`],
  [`${field}*%${word}%`, `${field}*${word}`],
  [`${field}*'${word}'`, `${field}*${word}`],
  [`${field}*${word})`, `${field}*${word}`],
  [`${field}*=${word}`, `${field}*${word}`],
  [`${field}=~${word}`, `${field}*${word}`],
  [`${field}=eq.${whole}`, `${field}="${whole}"`],
  [`${field}=ilike.*${word}*`, `${field}*${word}`],
  [`${field}=like.%${word}%`, `${field}*${word}`],
  [`${field} like '%${word}%'`, `${field}*${word}`],
  [`${field} ILIKE %${word}%`, `${field}*${word}`],
  [`${field} like ${word}`, `${field}*${word}`],
  [`${field} not like '%${word}%'`, `${field}!*${word}`],
  [`${field} contains ${word}`, `${field}*${word}`],
  [`${field} eq '${whole}'`, `${field}="${whole}"`],
  [`${field} is ${whole}`, `${field}="${whole}"`],
  [`${field}: ${whole}`, `${field}="${whole}"`],
  [`${field} ne ${whole}`, `${field}!="${whole}"`],
  [`${field}~${word}`, `${field}*${word}`],
  [`${field} in ('${whole}', '${other}')`, `${field}["${whole}","${other}"]`],
  [`${field} not in ('${whole}','${other}')`, `${field}!["${whole}","${other}"]`],
  [`${field} in (${whole})`, `${field}="${whole}"`],
];

/** Right if there were such a record: another mistake, or an empty list, shows that there is none. */
const exact = (field: string, word: string, whole: string): readonly Mistake[] => [
  [`${field}=${whole.toLowerCase()}`, `${field}*"${whole}"`],
  [`${field}=${word}`, `${field}*${word}`],
  [`${field}[${word}]`, `${field}*${word}`],
];

const numbers = (field: string, low: number, high: number): readonly Mistake[] => [
  [`${field}==${low}`, `${field}=${low}`],
  [`${field}===${low}`, `${field}=${low}`],
  [`${field}!==${low}`, `${field}!=${low}`],
  [`${field}<>${low}`, `${field}!=${low}`],
  [`${field} => ${low}`, `${field}>=${low}`],
  [`${field}=<${low}`, `${field}<=${low}`],
  [`${field}='${low}'`, `${field}=${low}`],
  [`${field}>'${low}'`, `${field}>${low}`],
  [`${field}>${low})`, `${field}>${low}`],
  [`${field}<${high};`, `${field}<${high}`],
  [`${field}=lt.${high}`, `${field}<${high}`],
  [`${field}=gte.${low}`, `${field}>=${low}`],
  [`${field}=eq.${low}`, `${field}=${low}`],
  [`${field}=neq.${low}`, `${field}!=${low}`],
  [`${field}=not.eq.${low}`, `${field}!=${low}`],
  [`${field} between ${low} and ${high}`, `${field}>=${low}&${field}<=${high}`],
  [`${field} BETWEEN '${low}' AND '${high}'`, `${field}>=${low}&${field}<=${high}`],
  [`${field} not between ${low} and ${high}`, `(${field}<${low}|${field}>${high})`],
  [`${field}=${low}..${high}`, `${field}>=${low}&${field}<=${high}`],
  [`${field} in (${low},${high})`, `${field}[${low},${high}]`],
  [`${field} in [${low}, ${high}]`, `${field}[${low},${high}]`],
  [`${field} not in (${low},${high})`, `${field}![${low},${high}]`],
  [`${field}=[${low},${high}]`, `${field}[${low},${high}]`],
  [`${field}!=(${low},${high})`, `${field}![${low},${high}]`],
  [`${field}=${low};${high}`, `${field}[${low},${high}]`],
  [`${field}['${low}','${high}']`, `${field}[${low},${high}]`],
  [`${field}[${low};${high}]`, `${field}[${low},${high}]`],
  [`${field} eq ${low}`, `${field}=${low}`],
  [`${field} gt ${low}`, `${field}>${low}`],
  [`${field} ≥ ${low}`, `${field}>=${low}`],
  [`${field} less than ${high}`, `${field}<${high}`],
];

const others: readonly Mistake[] = [
  ['default_code=NULL', 'default_code=null'],
  ['default_code!=NULL', 'default_code!=null'],
  ['default_code is null', 'default_code=null'],
  ['default_code is not null', 'default_code!=null'],
  ['categ_id=NULL', 'categ_id=null'],
  ['categ_id IS NULL', 'categ_id=null'],
  ['is_rsd_product!=None', 'is_rsd_product!=null'],
  ['active=yes', 'active=true'],
  ["active='true'", 'active=true'],
  ['active==TRUE', 'active=true'],
  ['active is true', 'active=true'],
  ['active=1', 'active=true'],
  ['list_price<10,5', 'list_price<10.5'],
  ['list_price<1,000', 'list_price<1000'],
  ['list_price<€500', 'list_price<500'],
  ['list_price<500 EUR', 'list_price<500'],
  ['price<500', 'list_price<500'],
  ['price between 10 and 20', 'list_price>=10&list_price<=20'],
  ['create_date>2025', 'create_date>2025-01-01'],
  ['create_date>=2025-02', 'create_date>=2025-02-01'],
  ['create_date=2025', 'create_date>=2025-01-01&create_date<2026-01-01'],
  ['create_date=2025-02', 'create_date>=2025-02-01&create_date<2025-03-01'],
  ["create_date>'2025-03-04'", 'create_date>2025-03-04'],
  ['create_date=2025-03-04', 'create_date>=2025-03-04&create_date<2025-03-05'],
  ['create_date between 2025-01-01 and 2025-06-30', 'create_date>=2025-01-01&create_date<=2025-06-30'],
  ['create_date between 2025 and 2026', 'create_date>=2025-01-01&create_date<=2026-01-01'],
  ['write_date>1.2.2025', 'write_date>2025-02-01'],
];

/** Other parameters that are wrong, and what they should be. */
const parameters: readonly Mistake[] = [
  ['sort=price desc', 'sort=-list_price'],
  ['sort=list_price.desc', 'sort=-list_price'],
  ['sort=list_price:desc,name asc', 'sort=-list_price,name'],
  ['sort=price,desc', 'sort=-list_price'],
  ['sort=%2Bname', 'sort=name'],
  ['sort=desc(list_price)', 'sort=-list_price'],
  ['sort=name,name', 'sort=name'],
  ['sort=nam,pric desc&fields=id,nam', 'sort=name,-list_price&fields=id,name'],
  ['fields=id,nam,list_pric', 'fields=id,name,list_price'],
  ['limit=5000', 'limit=1000'],
  ['page=0', 'page=1'],
  ['per_page=500', 'limit=500'],
  ['offset=20', 'page=3'],
  ['offset=20&limit=5', 'page=5&limit=5'],
  ['orderby=price desc&size=7', 'sort=-list_price&limit=7'],
  ['select=id,nam', 'fields=id,name'],
  ['lmit=7&srt=name', 'limit=7&sort=name'],
];

/** As many of them, evenly. */
function spread<Item>(items: readonly Item[], count: number): readonly Item[] {
  return Array.from({ length: count }, (_, index) => items[Math.floor((index * items.length) / count)]).filter(
    (item) => item !== undefined,
  );
}

describe.each(oneEngine)('on $name', (engine) => {
  const service = sharedService(engine);
  const samples = [...products()]
    .slice(0, 300)
    .map((sample, index): RecordValues => ({ ...sample, id: 1_001 + index }));
  const sent = (query: string) => service.send({ path: `${PRODUCTS}?${query}` });
  const filterQuery = (filter: string) => `filter=${encodeURIComponent(filter)}`;
  beforeAll(() => load(service.store, service.acme, product, samples));

  const code = String(samples.find((row) => row['default_code'] !== null)?.['default_code']);
  const inexact = [...exact('name', 'Chair', 'Classic Linen Chair'), ...exact('default_code', code.slice(0, 5), code)];
  const certain: readonly Mistake[] = [
    ...texts('name', 'Chair', 'Classic Linen Chair', 'Large Oak Chair'),
    ...texts('default_code', code.slice(0, 5), code, String(samples.at(-2)?.['default_code'] ?? code)),
    ...numbers('list_price', Number(samples[3]?.['list_price']), 500),
    ...numbers('id', 1_003, 1_077),
    ...numbers('qty_available', Number(samples[5]?.['qty_available']), 900),
    ...others,
  ];
  const all = [...certain, ...inexact];

  /** What the response says to request instead. */
  const tried = async (query: string): Promise<string | undefined> => {
    const { status, json, headers } = await sent(query);
    const text = status === 200 ? headers['stockbook-hint'] : Object(json).suggestion;
    return / Try (\/\S+)$/.exec(text ?? '')?.[1];
  };
  const resultOf = async (path: string) => {
    const { status, json, text } = await service.send({ path });
    if (json === undefined) return { status, text: text.length };
    const rows: readonly RecordValues[] = Object(json).data ?? [];
    return {
      status,
      total: Object(json).meta?.total,
      fields: Object.keys(rows[0] ?? {}),
      rows: rows.map((row) => row['id'] ?? row['name']),
    };
  };
  const failures: object[] = [];
  /** In one round. */
  const correct = async (query: string, right: string) => {
    const suggested = await tried(query.replaceAll(' ', '%20'));
    const expected = await resultOf(`${PRODUCTS}?${right.replaceAll(' ', '%20')}`);
    const found = suggested === undefined ? { status: 200, total: 0, fields: [], rows: [] } : await resultOf(suggested);
    if (expected.status !== 200 || !isDeepStrictEqual(found, expected))
      failures.push({
        query: decodeURIComponent(query),
        suggested: suggested && decodeURIComponent(suggested),
        right: decodeURIComponent(right),
        found,
        expected,
      });
  };
  afterEach(() => {
    expect(failures.splice(0).slice(0, 10)).toEqual([]);
  });

  test('every condition', async () => {
    for (const [wrong, right] of all) await correct(filterQuery(wrong), filterQuery(right));
  });

  test('several conditions with mistakes, and what joins them', async () => {
    for (const [joint, sign, mistakes] of [
      ['&', '&', spread(all, rounds(70, all.length))],
      ['&&', '&', spread(all, rounds(20, all.length))],
      ['|', '|', spread(certain, rounds(50, certain.length))],
    ] as const)
      for (const [index, [wrong, right]] of mistakes.entries()) {
        const [otherWrong, otherRight] = mistakes[(index * 7 + 3) % mistakes.length] ?? ['', ''];
        const [first, second] = [right, otherRight].map((each) => (/[&|]/.test(each) ? `(${each})` : each));
        await correct(filterQuery(`${wrong}${joint}${otherWrong}`), filterQuery(`${first}${sign}${second}`));
      }
  });

  test('words and signs between conditions', async () => {
    for (const [joint, sign] of [
      [' and ', '&'],
      [' AND ', '&'],
      [' or ', '|'],
      [';', '&'],
      ['; ', '&'],
      [',', '&'],
    ] as const)
      for (const first of ['name*Chair', 'name*Oak', 'list_price>5', 'active=true', 'id>3'])
        for (const [second, right] of [
          ['list_price<100', 'list_price<100'],
          ['active=true', 'active=true'],
          ['price<100', 'list_price<100'],
          ["name='Large Oak Chair'", 'name=Large Oak Chair'],
        ] as const)
          await correct(filterQuery(`${first}${joint}${second}`), filterQuery(`${first}${sign}${right}`));
  });

  test('several parameters with mistakes', async () => {
    for (const [wrong, right] of parameters) {
      await correct(wrong, right);
      for (const [filter, meant] of [
        ['list_price==lt.100', 'list_price<100'],
        ['name like Chair', 'name*Chair'],
        ['active=yes', 'active=true'],
        ['name*Chair', 'name*Chair'],
      ] as const) {
        await correct(`${filterQuery(filter)}&${wrong}`, `${filterQuery(meant)}&${right}`);
        await correct(`${wrong}&${filterQuery(filter)}`, `${filterQuery(meant)}&${right}`);
      }
    }
  });

  test('relative times', async () => {
    for (const filter of ['create_date>yesterday', 'write_date>=7 days ago', 'create_date<now()']) {
      const suggested = await tried(filterQuery(filter));
      expect(suggested).toMatch(/\d{4}-\d\d-\d\d/);
      expect(await resultOf(suggested ?? '')).toMatchObject({ status: 200 });
    }
  });

  test('formats', async () => {
    for (const [wrong, right] of [
      ['excel', 'xlsx'],
      ['jsonl', 'ndjson'],
      ['CSV', 'csv'],
    ])
      expect(await tried(`format=${wrong}&sort=price desc`.replace(' ', '%20'))).toBe(
        `${PRODUCTS}?format=${right}&sort=-list_price`,
      );
  });

  test.each(['name*zzz*', "name='zzz'", 'name=zzz', 'name[zzz,yyy]', 'name=null-and-void', 'name*zzz;list_price<0'])(
    'a hint that finds nothing is not sent: %s',
    async (filter) => {
      const { status, headers } = await sent(filterQuery(filter));
      expect({ status, hint: headers['stockbook-hint'] }).toEqual({ status: 200, hint: undefined });
    },
  );

  test('what cannot be fixed is said in words only', async () => {
    for (const query of ['list_price=NULL', 'colour==red', 'list_price>cheap&name==x', 'active>true'].map(
      filterQuery,
    )) {
      const { status, json } = await sent(query);
      expect(status).toBe(400);
      expect(Object(json).suggestion).not.toMatch(/ Try |booleans/);
    }
  });

  test('with explain, the hint is in the body as well', async () => {
    const { json, headers } = await sent(`${filterQuery('name=%Chair%')}&explain=true&limit=5`);
    const { hint } = Object(json).meta;
    expect(hint).toEqual({ text: 'Did you mean name*Chair?', filter: 'name*Chair', request: expect.any(String) });
    expect(headers['stockbook-hint']).toBe(`${hint.text} Try ${hint.request}`);
    expect(await resultOf(hint.request)).toMatchObject({ status: 200 });
  });

  test('a member of a change with a value of another type', async () => {
    const editor = bearer(await service.issue(service.acme, { scopes: ['edit'] }));
    for (const [body, suggestion] of [
      [{ list_price: '91.5' }, 'Send {"list_price":91.5}, without quotes.'],
      [{ active: 'yes' }, 'Send {"active":true}, without quotes.'],
      [{ name: 5 }, 'Send {"name":"5"}.'],
      [{ list_price: 'cheap' }, 'Send a value such as {"list_price":99.99}.'],
      [{ active: null }, 'Leave active out to keep its value.'],
    ] as const) {
      const headers = { 'content-type': 'application/merge-patch+json', ...editor };
      const { status, json } = await service.send({
        ...{ method: 'PATCH', path: `${PRODUCTS}/1`, headers },
        body: JSON.stringify(body),
      });
      expect({ status, suggestion: Object(json).suggestion }).toEqual({ status: 400, suggestion });
    }
  });
});
