/** `explain`: which conditions are counted. Counting them is limited like a filter that costs as much. */

import { describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { canonical } from '../../src/plan/canonical.ts';
import { checkExplainCost } from '../../src/plan/explain.ts';
import { planList } from '../../src/plan/list.ts';
import { planned } from '../support/fixture.ts';

const list = (values: Readonly<Record<string, string>>) => planList(product, { values, continuations: [] });
const explained = (filter: string) => planned(list({ filter, explain: 'true' }));
const cheap = (count: number) => Array.from({ length: count }, (_, n) => `id!=${n}`).join('&');
const searches = (count: number) => `id=1&${Array.from({ length: count }, (_, n) => `name!*x${n}`).join('&')}`;

describe('the conditions', () => {
  const word = 'or(default_code folded * "oak",name folded * "oak")';
  const id = ['id>1', 'id>1'];

  test.each<[Readonly<Record<string, string>>, readonly (readonly string[])[]]>([
    [{}, []],
    [{ filter: ' id > 1 ' }, [id]],
    [{ filter: 'id>1&active=true' }, [id, ['active=true', 'active=[true]']]],
    [{ filter: 'id>1|active=true' }, [['id>1|active=true', 'or(active=[true],id>1)']]],
    [{ filter: 'id>1&(id<9&active=true)' }, [id, ['id<9&active=true', 'and(active=[true],id<9)']]],
    [{ q: 'oak' }, [['oak', word]]],
    [{ q: 'oak', filter: 'id>1' }, [id, ['oak', word]]],
    [{ q: 'oak', filter: 'id>1&id<9' }, [id, ['id<9', 'id<9'], ['oak', word]]],
    [
      { q: 'oak', filter: 'id=1|id=9' },
      [
        ['id=1|id=9', 'or(id=[1],id=[9])'],
        ['oak', word],
      ],
    ],
  ])('of %j', (values, expected) => {
    const plan = planned(list({ ...values, explain: 'true' }));
    expect(plan.explained?.map(({ text, where }) => [text, canonical(where)])).toEqual(expected);
    expect(plan.explained?.map(({ kind }) => kind)).toEqual(
      expected.map(([text]) => (text === 'oak' ? 'word' : 'filter')),
    );
  });

  test('are counted only on request', () => {
    for (const values of [{}, { explain: 'false' }])
      expect(planned(list({ filter: 'id>1', ...values })).explained).toBeUndefined();
  });

  test.each(['TRUE', '1', 'yes', ''])('explain=%s is an error', (explain) => {
    expect(list({ explain })).toEqual({
      code: 'invalid_explain',
      detail: `'${explain}' is neither true nor false.`,
      context: { parameter: 'explain' },
    });
  });

  test('are at most 20', () => {
    expect(explained(cheap(20)).explained).toHaveLength(20);
    const tooMany = {
      code: 'invalid_explain',
      detail: 'There are 21 conditions and words, and at most 20 can be explained.',
      context: { parameter: 'explain' },
    };
    expect(list({ filter: cheap(21), explain: 'true' })).toEqual(tooMany);
    expect(list({ filter: cheap(19), q: 'oak chair', explain: 'true' })).toEqual(tooMany);
  });
});

describe('for a million records', () => {
  test('many cheap conditions can be explained', () => {
    expect(checkExplainCost(explained(cheap(20)), 1_000_000)).toBeUndefined();
  });

  test('many searches cannot, even next to a condition that an index supports', () => {
    expect(checkExplainCost(explained(searches(5)), 1_000_000)).toBeUndefined();
    expect(checkExplainCost(explained(searches(10)), 1_000_000)).toEqual({
      code: 'filter_too_costly',
      detail: 'The filter has too many conditions to be explained for 1000000 records.',
      context: { parameter: 'explain', suggestion: 'Explain fewer conditions at once, or remove explain.' },
    });
  });

  test('a filter that is not explained costs nothing here', () => {
    expect(checkExplainCost(planned(list({ filter: searches(100) })), 1_000_000)).toBeUndefined();
  });

  test('each condition is counted alone, and once all others', () => {
    const plan = explained(Array.from({ length: 5 }, (_, n) => `name!*x${n}`).join('&'));
    // Five times one search, and five times all of them.
    const cost = 5 * 6 + 5 * 26;
    expect(checkExplainCost(plan, 250_000_000 / cost)).toBeUndefined();
    expect(checkExplainCost(plan, 250_000_000 / cost + 1)).toMatchObject({ code: 'filter_too_costly' });
  });
});
