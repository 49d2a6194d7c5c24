/** `q` and `filter` together. */

import { expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { canonical } from '../../src/plan/canonical.ts';
import { planMatching } from '../../src/plan/matching.ts';
import { planned } from '../support/fixture.ts';

/** The conditions that have to be met. */
function conditions(values: Readonly<Record<string, string>>): readonly string[] | undefined {
  const { where } = planned(planMatching(product, { values, continuations: [] }));
  return where?.kind === 'and' ? where.operands.map(canonical) : where && [canonical(where)];
}

const word = (text: string) => `or(default_code folded * "${text}",name folded * "${text}")`;

test.each<[Readonly<Record<string, string>>, readonly string[] | undefined]>([
  [{}, undefined],
  [{ q: ' ' }, undefined],
  [{ filter: 'id>1' }, ['id>1']],
  [{ filter: 'id>1&id<9' }, ['id>1', 'id<9']],
  [{ q: 'oak' }, [word('oak')]],
  [{ q: 'oak chair' }, [word('oak'), word('chair')]],
  [{ q: 'oak', filter: 'id>1' }, ['id>1', word('oak')]],
  [{ q: 'oak', filter: 'id>1&id<9' }, ['id>1', 'id<9', word('oak')]],
  [{ q: 'oak', filter: 'id=1|id=9' }, ['or(id=[1],id=[9])', word('oak')]],
])('%j', (values, expected) => {
  expect(conditions(values)).toEqual(expected);
});

test('a single condition is not joined', () => {
  expect(planMatching(product, { values: { q: 'oak' }, continuations: [] })).toMatchObject({ where: { kind: 'or' } });
});

test('a condition after a raw & is said to be one', () => {
  expect(planMatching(product, { values: { filter: 'id>1&x=2' }, continuations: [5] })).toMatchObject({
    detail: expect.stringMatching(/follows a raw &/),
  });
});
