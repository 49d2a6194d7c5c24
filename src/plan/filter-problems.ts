/** What can be wrong with a filter: where, why and how to fix it. */

import { type Field, fieldNames, type Resource } from '../catalog/resource.ts';
import type { Mismatch } from '../catalog/value.ts';
import { isText, valueTypes } from '../catalog/value-types.ts';
import type { Condition, Literal, Name } from '../filter/ast.ts';
import { columnOf, FilterError } from '../filter/filter-error.ts';
import { operators, operatorsFor } from '../filter/operators.ts';
import { parseFilter } from '../filter/parse.ts';
import { quote } from '../filter/print.ts';
import { nearest } from '../problem/nearest.ts';
import { Problem } from '../problem/problem.ts';
import { quoted } from '../problem/quoted.ts';
import type { ProblemCode } from '../problem/registry.ts';
import { LIST_PARAMETERS } from '../request/parameters.ts';
import { decode } from '../request/percent-encoding.ts';
import { meantParameter } from '../request/unknown-parameter.ts';
import { acceptedItems, findMistake } from './filter-mistakes.ts';

interface Fix {
  readonly suggestion?: string | undefined;
  /** The whole filter, fixed. */
  readonly fixed?: string | undefined;
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

  invalidSyntax(error: FilterError): Problem {
    const decoded = this.#text.includes('%') ? decode(this.#text) : this.#text;
    if (typeof decoded === 'string' && !(parseFilter(decoded) instanceof FilterError)) {
      const suggestion = 'The filter seems to be percent-encoded twice; encode it once.';
      return this.#problem(error.code, error.at, error.detail, { suggestion, fixed: decoded });
    }
    return this.#problem(error.code, error.at, error.detail, error);
  }

  unknownField(name: Name): Problem {
    const names = fieldNames(this.#resource);
    const detail = `${this.#resource.name} has no field ${quoted(name.text)}.`;
    const parameter = this.#isContinuation(name.at) ? meantParameter(name.text, LIST_PARAMETERS) : undefined;
    if (parameter !== undefined)
      return this.#problem('unknown_field', name.at, detail, {
        suggestion: `Did you mean the parameter ${parameter}?`,
      });
    const meant = nearest(name.text, names);
    return this.#problem('unknown_field', name.at, detail, {
      suggestion: meant === undefined ? `The fields are ${names.join(', ')}.` : `Did you mean ${meant}?`,
      fixed: meant && this.#replace(name.at, name.at + name.text.length, meant),
    });
  }

  operatorNotAllowed(condition: Condition, field: Field): Problem {
    const { symbol } = operators[condition.operator];
    const { operatorClass, plural } = valueTypes[field.type];
    const allowed = operatorsFor(operatorClass).map((operator) => operator.symbol);
    return this.#problem(
      'operator_not_allowed',
      condition.operatorAt,
      `${field.name} holds ${plural} and does not support ${symbol}.`,
      { suggestion: `${field.name} supports ${allowed.join(' ')}` },
    );
  }

  nullNotAllowed(literal: Literal, field: Field): Problem {
    const detail = field.nullable ? 'This operator does not accept null.' : `${field.name} is never null.`;
    if (isText(field)) {
      return this.#problem('null_not_allowed', literal.at, detail, {
        suggestion: 'To match the text itself, write "null" in quotes.',
        fixed: this.#replace(literal.at, literal.end, quote('null')),
      });
    }
    return this.#problem('null_not_allowed', literal.at, detail, {
      suggestion: field.nullable
        ? `To match records without a value, write ${field.name}=null.`
        : 'Remove the condition, or give a value.',
    });
  }

  emptyContains(literal: Literal, field: Field): Problem {
    return this.#problem('invalid_value', literal.at, 'The text to search for is empty.', {
      suggestion: `Give at least one character. To match an empty ${field.name}, write ${field.name}="".`,
    });
  }

  invalidValue(condition: Condition, literal: Literal, field: Field, { requirement, meant }: Mismatch): Problem {
    const text = literal.text ?? '';
    const detail = `${field.name} ${requirement}, not ${text === '' ? 'empty' : quoted(text)}.`;
    if (meant !== undefined) {
      const lostPlus =
        meant.includes('+') && !text.includes('+') ? ' A + in a query string is a space; encode it as %2B.' : '';
      return this.#problem('invalid_value', literal.at, detail, {
        suggestion: `Did you mean ${meant}?${lostPlus}`,
        fixed: this.#replace(literal.at, literal.end, meant),
      });
    }
    if (condition.kind === 'membership') {
      const items = acceptedItems(field, text.replaceAll(/[;\s]/g, ','));
      return this.#problem('invalid_value', literal.at, detail, {
        suggestion: items === undefined ? exampleOf(condition, field) : `Did you mean ${items}?`,
        fixed: items && this.#replace(literal.at, literal.end, items),
      });
    }
    const isField = (name: string) => nearest(name, fieldNames(this.#resource)) !== undefined;
    const mistake = findMistake(field, condition.operator, text, isField);
    return this.#problem('invalid_value', literal.at, detail, {
      suggestion: mistake?.suggestion ?? exampleOf(condition, field),
      fixed: mistake && this.#replace(condition.field.at, literal.end, mistake.condition),
    });
  }

  #problem(code: ProblemCode, at: number, detail: string, { suggestion, fixed }: Fix): Problem {
    const explained = this.#isContinuation(at) ? `${detail} ${RAW_AMPERSAND}` : detail;
    return new Problem(code, explained, {
      parameter: 'filter',
      position: columnOf(this.#text, at),
      ...(suggestion !== undefined && suggestion.length <= MAX_SUGGESTION && { suggestion }),
      ...(fixed !== undefined && { fixed: { filter: fixed } }),
    });
  }

  #isContinuation(at: number): boolean {
    const [first = Number.POSITIVE_INFINITY] = this.#continuations;
    return at >= first;
  }

  #replace(start: number, end: number, text: string): string {
    return this.#text.slice(0, start) + text + this.#text.slice(end);
  }
}

/** A condition whose value has the right form. */
function exampleOf({ operator }: Condition, { name, type }: Field): string {
  const [example] = valueTypes[type].examples;
  return `For example: ${name}${operator}${example}${operator.endsWith('[') ? ']' : ''}`;
}

/** The longest suggestion, in characters: it may repeat what was sent. */
const MAX_SUGGESTION = 500;

const RAW_AMPERSAND =
  'This part follows a raw & in the query string and is not a parameter, so it was read as another condition of the filter. Encode an & inside a value as %26, and quote the value.';
