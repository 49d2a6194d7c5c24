/** The least and the greatest of many numbers, two at a time. */

import {
  ADD,
  compile,
  doubles,
  f64,
  get,
  goIf,
  I32,
  i32,
  load,
  loop,
  SUBTRACT,
  set,
  store,
  tee,
  V128,
} from './assembler.ts';
import { memory, putNumbers, RESULT_AT, results } from './scratch.ts';

/** The parameters and local variables of the function. */
const [VALUES, PAIRS, INTO, LEAST, GREATEST] = [0, 1, 2, 3, 4];

const find = compile({
  parameters: [I32, I32, I32],
  locals: [V128, V128],
  body: [
    ...[...f64(Number.POSITIVE_INFINITY), ...doubles.SPLAT, ...set(LEAST)],
    ...[...f64(Number.NEGATIVE_INFINITY), ...doubles.SPLAT, ...set(GREATEST)],
    ...loop(
      ...[...get(LEAST), ...get(VALUES), ...load(0), ...doubles.LEAST, ...set(LEAST)],
      ...[...get(GREATEST), ...get(VALUES), ...load(0), ...doubles.GREATEST, ...set(GREATEST)],
      ...[...get(VALUES), ...i32(16), ADD, ...set(VALUES)],
      ...[...get(PAIRS), ...i32(1), SUBTRACT, ...tee(PAIRS), ...goIf(0)],
    ),
    ...[...get(INTO), ...get(LEAST), ...store(0), ...get(INTO), ...get(GREATEST), ...store(16)],
    ...get(INTO),
  ],
})(memory);

/** NaN is left out. Infinite, and the wrong way round, if there is nothing else. */
export function extentOf(numbers: Float64Array): readonly [min: number, max: number] {
  find(putNumbers(numbers, Number.NaN), Math.max(1, Math.ceil(numbers.length / 2)), RESULT_AT);
  const [a = 0, b = 0, c = 0, d = 0] = results.numbers;
  return [Math.min(a, b), Math.max(c, d)];
}
