/** The text of a filter in parts that look different: names, operators, values, and what is wrong. */

import { FilterError, parseFilter } from '@stockbook/client/filter';
import { conditionsOf } from './filter-tree.ts';

export interface FilterSpan {
  /** A sign joins or groups conditions. The parts of a filter whose syntax is invalid are not known. */
  readonly kind: 'field' | 'operator' | 'value' | 'sign' | 'unknown';
  readonly text: string;
  readonly from: number;
  readonly isWrong: boolean;
}

/** The parts are the whole text. `wrongAt` is where an error is; it extends to the end of the word. */
export function filterSpans(text: string, wrongAt: number | undefined): readonly FilterSpan[] {
  const wrong = wrongAt === undefined ? undefined : { from: wrongAt, to: wrongAt + wordAt(text, wrongAt).length };
  const marks = marksOf(text);
  const between = marks.length === 0 ? 'unknown' : 'sign';
  const cuts = [
    0,
    text.length,
    ...marks.flatMap(({ from, to }) => [from, to]),
    ...(wrong ? [wrong.from, wrong.to] : []),
  ];
  const borders = [...new Set(cuts)].filter((cut) => cut <= text.length).toSorted((a, b) => a - b);
  let next = 0;
  return borders.slice(0, -1).map((from, index) => {
    const to = borders[index + 1] ?? text.length;
    // Both are in the order of the text.
    while ((marks[next]?.to ?? to) < to) next += 1;
    const candidate = marks[next];
    const mark = candidate !== undefined && candidate.from <= from ? candidate : undefined;
    const isWrong = wrong !== undefined && wrong.from <= from && to <= wrong.to;
    return { kind: mark?.kind ?? between, text: text.slice(from, to), from, isWrong };
  });
}

interface Mark {
  readonly kind: FilterSpan['kind'];
  readonly from: number;
  readonly to: number;
}

/** The maximum number of parts that are marked. The browser would draw more of them too slowly to type. */
const MAX_MARKS = 1_000;

/** None if the syntax is invalid, or if there are too many: only the error is marked then. */
function marksOf(text: string): readonly Mark[] {
  const filter = parseFilter(text);
  if (filter instanceof FilterError) return [];
  const marks = conditionsOf(filter).flatMap((condition): readonly Mark[] => {
    const { field, operator, operatorAt } = condition;
    const literals = condition.kind === 'membership' ? condition.items : [condition.value];
    return [
      { kind: 'field', from: field.at, to: field.at + field.text.length },
      { kind: 'operator', from: operatorAt, to: operatorAt + operator.length },
      ...literals.map(({ at, end }): Mark => ({ kind: 'value', from: at, to: end })),
    ];
  });
  return marks.length > MAX_MARKS ? [] : marks;
}

/** The longest word that is marked as wrong. */
const MAX_WORD = 200;

function wordAt(text: string, at: number): string {
  return /^(?:[\w.-]+|"(?:[^"\\]|\\.)*"?|[\s\S])/u.exec(text.slice(at, at + MAX_WORD))?.[0] ?? '';
}
