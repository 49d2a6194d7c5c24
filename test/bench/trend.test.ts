/** How a run of the benchmark is compared with earlier ones. */

import { expect, test } from 'vitest';
import { type TrendRun, worseThan } from '../../bench/trend.ts';

const run = (margin: number, night = 1, reference: string | undefined = 'floor'): TrendRun => ({
  began: `2026-11-0${night}T01:00:00.000Z`,
  results: [
    {
      engine: 'sqlite',
      rows: 10_000,
      name: 'record',
      targets: [{ goal: '≥ 0.8 × floor', ratio: margin, margin, ...(reference && { reference }) }],
    },
  ],
});

const earlier = [1.3, 1.2, 1.0, 1.1, 1.4, 1.2, 1.3].map((margin, night) => run(margin, night + 1));

test.each([
  ['that are as good as the median of the earlier runs are not worse', 1.2, []],
  ['that are less than a tenth below it are not worse', 1.09, []],
  ['that are more than a tenth below it are worse', 1.07, [expect.closeTo(1.07 / 1.2, 6)]],
])('ratios %s', (_, margin, shares) => {
  expect(worseThan(earlier, run(margin)).map(({ share }) => share)).toEqual(shares);
});

test('only the last seven runs count', () => {
  const longAgo = Array.from({ length: 20 }, () => ({ ...run(9), began: '2026-10-01T01:00:00.000Z' }));
  expect(worseThan([...longAgo, ...earlier], run(1.2))).toEqual([]);
});

test('a ratio that no earlier run has is not worse, nor is a figure that is compared with nothing of its run', () => {
  expect(worseThan([], run(0.1))).toEqual([]);
  expect(worseThan([run(9, 1, '')], run(0.1, 2, ''))).toEqual([]);
});

test('what is worse is named', () => {
  expect(worseThan(earlier, run(0.6))).toEqual([
    { engine: 'sqlite', name: 'record', goal: '≥ 0.8 × floor', share: 0.5 },
  ]);
});
