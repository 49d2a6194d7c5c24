import { expect, test } from 'vitest';
import { readTrace } from '../../src/request/trace-context.ts';

const ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

test.each([
  ['sampled', `00-${ID}-${PARENT}-01`, '01'],
  ['not sampled', `00-${ID}-${PARENT}-00`, '00'],
  ['with a random id', `00-${ID}-${PARENT}-03`, '03'],
  ['with flags that are not defined yet', `00-${ID}-${PARENT}-ff`, '03'],
  ['of a later version', `01-${ID}-${PARENT}-01`, '01'],
  ['of a later version that has more', `cc-${ID}-${PARENT}-01-what the future will be like`, '01'],
])('a trace %s', (_, header, flags) => {
  const trace = readTrace(header);
  expect(trace).toMatchObject({ id: ID, parentId: PARENT });
  expect(trace?.traceparent).toMatch(new RegExp(`^00-${ID}-[0-9a-f]{16}-${flags}$`));
  expect(trace?.traceparent).not.toContain(PARENT);
});

test.each([
  ['absent', undefined],
  ['empty', ''],
  ['of version ff', `ff-${ID}-${PARENT}-01`],
  ['with more than version 00 has', `00-${ID}-${PARENT}-01-more`],
  ['with uppercase letters', `00-${ID.toUpperCase()}-${PARENT}-01`],
  ['with a trace id of zeros', `00-${'0'.repeat(32)}-${PARENT}-01`],
  ['with a parent id of zeros', `00-${ID}-${'0'.repeat(16)}-01`],
  ['that is too short', `00-${ID.slice(1)}-${PARENT}-01`],
  ['with text after it', `00-${ID}-${PARENT}-01x`],
  ['of a later version with text after it', `01-${ID}-${PARENT}-01x`],
  ['sent twice', `00-${ID}-${PARENT}-01, 00-${ID}-${PARENT}-01`],
])('a header %s is ignored', (_, header) => {
  expect(readTrace(header)).toBeUndefined();
});
