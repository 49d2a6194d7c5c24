/** What can be wrong with a filter, told with its place, its reason and its repair. */

import { type Field, fieldNames, type Resource } from '../catalog/resource.ts';
import type { Mismatch } from '../catalog/value.ts';
import type { Condition, Literal, Name } from '../filter/ast.ts';
import { columnOf, FilterError } from '../filter/filter-error.ts';
import { operators, operatorsFor, type ValueType } from '../filter/operators.ts';
import { parseFilter } from '../filter/parse.ts';
import { quote } from '../filter/print.ts';
import { mention } from '../problem/mention.ts';
import { nearest } from '../problem/nearest.ts';
import { Problem } from '../problem/problem.ts';
import type { ProblemCode } from '../problem/registry.ts';
import { LIST_PARAMETERS } from '../request/parameters.ts';
import { decode } from '../request/percent-encoding.ts';
import { slipIn } from './filter-slips.ts';

interface Help {
  readonly suggestion: string | undefined;
  /** The whole filter, repaired. */
  readonly repaired?: string | undefined;
}

export class FilterProblems {
  readonly #resource: Resource;
  readonly #text: string;
  readonly #continuations: readonly number[];

  constructor(resource: Resource, text: string, continuations: readonly number[]) {
    this.#resource = resource;
    this.#text = text;
    this.#continuations = continuations;
  }

  notReadable(error: FilterError): Problem {
    const decoded = ENCODED.test(this.#text) ? decode(this.#text) : this.#text;
    if (
      error.code === 'filter_syntax' &&
      typeof decoded === 'string' &&
      !(parseFilter(decoded) instanceof FilterError)
    ) {
      const suggestion = 'The filter seems to be percent-encoded twice; encode it once.';
      return this.#problem(error.code, error.at, error.detail, { suggestion, repaired: decoded });
    }
    return this.#problem(error.code, error.at, error.detail, error);
  }

  unknownField(name: Name): Problem {
    const names = fieldNames(this.#resource);
    const detail = `${this.#resource.name} has no field ${mention(name.text)}.`;
    const parameter = this.#isContinuation(name.at) ? nearest(name.text, LIST_PARAMETERS) : undefined;
    if (parameter !== undefined)
      return this.#problem('unknown_field', name.at, detail, {
        suggestion: `Did you mean the parameter ${parameter}?`,
      });
    const meant = nearest(name.text, names);
    return this.#problem('unknown_field', name.at, detail, {
      suggestion: meant === undefined ? `The fields are ${names.join(', ')}.` : `Did you mean ${meant}?`,
      repaired: meant && this.#replaced(name.at, name.at + name.text.length, meant),
    });
  }

  operatorNotAllowed(condition: Condition, field: Field): Problem {
    const { symbol } = operators[condition.operator];
    const allowed = operatorsFor(field.type).map((operator) => operator.symbol);
    return this.#problem(
      'operator_not_allowed',
      condition.operatorAt,
      `${symbol} does not work on ${field.name}, which ${HOLDS[field.type]}.`,
      {
        suggestion: `${field.name} takes ${allowed.join(' ')}`,
      },
    );
  }

  nullNotAllowed(literal: Literal, field: Field): Problem {
    const detail = field.nullable ? 'This operator does not take null.' : `${field.name} is never null.`;
    if (field.type === 'text') {
      return this.#problem('null_not_allowed', literal.at, detail, {
        suggestion: 'For the text itself write "null", in quotes.',
        repaired: this.#replaced(literal.at, literal.end, quote('null')),
      });
    }
    return this.#problem('null_not_allowed', literal.at, detail, {
      suggestion: field.nullable
        ? `For records without a value write ${field.name}=null.`
        : 'Leave the condition out, or give a value.',
    });
  }

  emptyContains(literal: Literal, field: Field): Problem {
    return this.#problem('invalid_value', literal.at, 'The text to look for is empty.', {
      suggestion: `Give at least one character. For records whose ${field.name} is empty write ${field.name}="".`,
    });
  }

  invalidValue(condition: Condition, literal: Literal, field: Field, { expected, meant }: Mismatch): Problem {
    const text = literal.text ?? '';
    const reason = text === '' ? `${field.name} needs a value` : `${mention(text)} is not ${expected}`;
    const detail = `${reason}; ${field.name} ${HOLDS[field.type]}.`;
    if (meant !== undefined) {
      const lostPlus =
        meant.includes('+') && !text.includes('+') ? ' A + in a query string is a space; write it %2B.' : '';
      return this.#problem('invalid_value', literal.at, detail, {
        suggestion: `Did you mean ${meant}?${lostPlus}`,
        repaired: this.#replaced(literal.at, literal.end, meant),
      });
    }
    const slip = condition.kind === 'comparison' ? slipIn(field.name, condition.operator, text) : undefined;
    if (slip !== undefined) {
      return this.#problem('invalid_value', literal.at, detail, {
        suggestion: slip.suggestion,
        repaired: this.#replaced(condition.field.at, literal.end, slip.condition),
      });
    }
    const orNull = field.nullable ? ', or null' : '';
    return this.#problem('invalid_value', literal.at, detail, { suggestion: `Write ${expected}${orNull}.` });
  }

  #problem(code: ProblemCode, at: number, detail: string, { suggestion, repaired }: Help): Problem {
    const explained = this.#isContinuation(at) ? `${detail} ${RAW_AMPERSAND}` : detail;
    return new Problem(code, explained, {
      parameter: 'filter',
      position: columnOf(this.#text, at),
      ...(suggestion !== undefined && { suggestion }),
      ...(repaired !== undefined && { repaired: { filter: repaired } }),
    });
  }

  #isContinuation(at: number): boolean {
    const first = this.#continuations[0];
    return first !== undefined && at >= first;
  }

  #replaced(start: number, end: number, text: string): string {
    return this.#text.slice(0, start) + text + this.#text.slice(end);
  }
}

const ENCODED = /%[0-9a-f]{2}/i;

const RAW_AMPERSAND =
  'This part stands behind a raw & in the query string and is no parameter, so it was read as a further condition of the filter; an & inside a value is written %26, in quotes.';

const HOLDS: Record<ValueType, string> = {
  text: 'holds text',
  number: 'holds numbers',
  integer: 'holds whole numbers',
  boolean: 'holds true or false',
  timestamp: 'holds timestamps',
};
