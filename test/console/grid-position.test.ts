/** Where the focus of the table is while its rows change. */

import { expect, test } from 'vitest';
import { positionIn, type RowPosition } from '../../console/src/table/grid-position.ts';

const second: RowPosition = { area: 'rows', row: 1, id: 20 };

test('the focus stays with its record', () => {
  expect(positionIn(second, [10, 20, 30], 5)).toEqual(second);
  expect(positionIn(second, [5, 10, 20], 5)).toEqual({ area: 'rows', row: 2, id: 20 });
});

test('without its record, it stays where that was', () => {
  expect(positionIn(second, [10, 30], 5)).toEqual({ area: 'rows', row: 1, id: 30 });
  expect(positionIn(second, [10], 5)).toEqual({ area: 'rows', row: 0, id: 10 });
  expect(positionIn(second, [], 5)).toEqual({ area: 'header', column: 0 });
});

test('a column that is gone leaves the focus on the last one', () => {
  expect(positionIn({ area: 'header', column: 4 }, [10], 3)).toEqual({ area: 'header', column: 2 });
});
