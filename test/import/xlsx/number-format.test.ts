import { expect, test } from 'vitest';
import { builtInMoment, momentOf } from '../../../src/import/xlsx/number-format.ts';

test.each([
  ...['yyyy-mm-dd', 'dd/mm/yyyy', 'd.m.yy', 'DD.MM.YYYY', 'mmm yy', 'mmmm', 'm', 'dddd', 'm/d/yyyy h:mm'],
  ...['[$-407]d. mmmm yyyy', '[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy', '[Red]yyyy', 'yyyy\\-mm\\-dd;@'],
  ...['yyyy"年"m"月"d"日"', '[$-411]ge.m.d', 'bbbb', 'yyyy-mm-dd hh:mm:ss.000', '[$-409]m/d/yy h:mm AM/PM;@'],
])('%s shows a date', (code) => {
  expect(momentOf(code)).toBe('date');
});

test.each(['h:mm', 'hh:mm:ss', 'mm:ss', 'mm:ss.0', 'h:mm AM/PM', 'h:mm A/P', '[$-F400]h:mm:ss AM/PM', 'h" o\'clock"'])(
  '%s shows a time',
  (code) => {
    expect(momentOf(code)).toBe('time');
  },
);

test.each([
  ...['General', '0', '0.00', '#,##0.00', '0%', '0.00E+00', '# ?/?', '@', '', '00000'],
  ...['#,##0.00 [$€-407]', '[$$-409]#,##0.00', '0" days"', '0\\d', '"yyyy"', '_-* #,##0.00_-', '#,##0_h', '0*d'],
  ...['[Red]-0.00', '[Magenta]0', '[<=100]0', '[DBNum1]General', 'General" hours"', '[h]:mm', '[mm]:ss', '[ss].00'],
])('%s shows a number', (code) => {
  expect(momentOf(code)).toBeUndefined();
});

test('a long code takes no longer than it is long', () => {
  expect(momentOf('['.repeat(1_000_000))).toBeUndefined();
  expect(momentOf(`[${'h'.repeat(1_000_000)}`)).toBe('time');
});

test('formats that files do not define', () => {
  const ids = Array.from({ length: 60 }, (_, id) => id);
  expect(ids.filter((id) => builtInMoment(id) === 'date')).toEqual([
    ...[14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 34, 35, 36],
    ...[50, 51, 52, 53, 54, 55, 56, 57, 58],
  ]);
  expect(ids.filter((id) => builtInMoment(id) === 'time')).toEqual([18, 19, 20, 21, 32, 33, 45, 47]);
});
