/**
 * Filter text to AST, in one pass from left to right.
 *
 *     filter    = conjunction *( "|" conjunction )
 *     conjunction = operand *( "&" operand )
 *     operand   = "(" filter ")" / condition
 *     condition = name operator value / name list-operator value *( "," value ) "]"
 *     value     = quoted / bare
 *
 * A bare value runs up to the next `&` or `|`, in a group also `)`, in a list also `,` and `]`.
 */

import type { Condition, Filter, Literal, Name } from './ast.ts';
import { FilterError } from './filter-error.ts';
import { translatedOperator } from './foreign-operators.ts';
import { MAX_CONDITIONS, MAX_DEPTH, MAX_FILTER_BYTES, MAX_LIST_ITEMS } from './limits.ts';
import { isListSymbol, type OperatorSymbol, operatorSymbols, operators } from './operators.ts';
import { utf8Length } from './utf8-length.ts';

export function parseFilter(text: string): Filter | FilterError {
  const bytes = utf8Length(text);
  if (bytes > MAX_FILTER_BYTES) {
    return new FilterError('filter_too_long', 0, `The filter has ${bytes} bytes; the limit is ${MAX_FILTER_BYTES}.`, {
      suggestion: 'Split the request, or put many values of one field into a list: id[1,2,3].',
    });
  }
  return new Parser(text).filter();
}

/**
 * More than a field's name can have, so that a mistyped name is reported as an unknown field, not as invalid syntax. Not
 * the signs that other languages compare with.
 */
const NAME = /(?:[\w.-]|(?![≠≤≥])[\u0080-\uffff])*/y;
const JOINING_WORD = /(?:and|or)\b/iy;
const SYMBOLS_IN_WORDS = Object.values(operators)
  .map((operator) => operator.symbol)
  .join(' ');

interface Help {
  readonly suggestion: string;
  readonly fixed?: string;
}

class Parser {
  readonly #text: string;
  #at = 0;
  #conditions = 0;
  /** The offsets of the open groups. */
  readonly #groups: number[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  filter(): Filter | FilterError {
    const filter = this.#disjunction();
    if (filter instanceof FilterError || this.#at === this.#text.length) return filter;
    // A bare value takes everything up to `&` or `|`, so only a closed group or list can be followed by something else.
    return this.#expected('& or |', this.#symbolForWord());
  }

  #disjunction(): Filter | FilterError {
    return this.#joined('or', '|', () => this.#conjunction());
  }

  #conjunction(): Filter | FilterError {
    return this.#joined('and', '&', () => this.#operand());
  }

  #joined(kind: 'and' | 'or', sign: '&' | '|', next: () => Filter | FilterError): Filter | FilterError {
    const first = next();
    if (first instanceof FilterError || !this.#accept(sign)) return first;
    const second = next();
    if (second instanceof FilterError) return second;
    const rest: Filter[] = [];
    while (this.#accept(sign)) {
      const operand = next();
      if (operand instanceof FilterError) return operand;
      rest.push(operand);
    }
    return { kind, operands: [first, second, ...rest] };
  }

  #operand(): Filter | FilterError {
    this.#skipSpaces();
    return this.#text[this.#at] === '(' ? this.#group() : this.#condition();
  }

  #group(): Filter | FilterError {
    const opened = this.#at;
    if (this.#groups.length === MAX_DEPTH) {
      return new FilterError('filter_too_deep', opened, `Groups are nested more than ${MAX_DEPTH} levels deep.`, {
        suggestion: 'Omit unnecessary parentheses: & binds tighter than |.',
      });
    }
    this.#at += 1;
    this.#groups.push(opened);
    const inner = this.#disjunction();
    if (inner instanceof FilterError) return inner;
    this.#groups.pop();
    if (this.#accept(')')) {
      this.#skipSpaces();
      return inner;
    }
    if (this.#at < this.#text.length) return this.#expected('&, | or )', this.#symbolForWord());
    return new FilterError('filter_syntax', opened, 'This group is not closed.', {
      suggestion: 'Close it with ).',
      fixed: `${this.#text})`,
    });
  }

  #condition(): Condition | FilterError {
    this.#conditions += 1;
    if (this.#conditions > MAX_CONDITIONS) {
      return new FilterError(
        'filter_too_many_conditions',
        this.#at,
        `The filter has more than ${MAX_CONDITIONS} conditions.`,
        {
          suggestion: 'Put many values of one field into a list: id[1,2,3].',
        },
      );
    }
    const field = this.#name();
    if (field instanceof FilterError) return field;
    this.#skipSpaces();
    const operatorAt = this.#at;
    const operator = this.#operator();
    if (operator === undefined) return this.#missingOperator(field);
    if (isListSymbol(operator)) {
      const items = this.#items();
      return items instanceof FilterError ? items : { kind: 'membership', field, operator, operatorAt, items };
    }
    const value = this.#value(this.#groups.length > 0 ? '&|)' : '&|');
    return value instanceof FilterError ? value : { kind: 'comparison', field, operator, operatorAt, value };
  }

  #missingOperator(field: Name): FilterError {
    const expected = (help: Help) => this.#expected('an operator after the field name', help);
    const rest = this.#text.slice(this.#at);
    const translated = translatedOperator(field.text, rest);
    if (translated !== undefined) {
      const { condition, length } = translated;
      return expected({
        suggestion: `Write ${condition}`,
        ...(length !== undefined && {
          fixed: this.#text.slice(0, field.at) + condition + this.#text.slice(this.#at + length),
        }),
      });
    }
    if (this.#conditions > 1 && /^$|^[&|)]/.test(rest)) {
      return expected({
        suggestion:
          'Each side of & and | must be a complete condition. To match one of several values, write id[1,2,3]. Quote a value that contains & or |: name="A & B".',
      });
    }
    return expected({ suggestion: `The operators are ${SYMBOLS_IN_WORDS}` });
  }

  #name(): Name | FilterError {
    const at = this.#at;
    NAME.lastIndex = at;
    NAME.test(this.#text);
    this.#at = NAME.lastIndex;
    if (this.#at > at) return { text: this.#text.slice(at, this.#at), at };
    const found = this.#text.charAt(at);
    if ((found === '&' || found === '|') && this.#text.charAt(at - 1) === found) {
      return this.#expected('a condition', {
        suggestion: `Write one ${found} between two conditions.`,
        fixed: this.#text.slice(0, at) + this.#text.slice(at + 1),
      });
    }
    return this.#expected('a condition', {
      suggestion: 'A condition is a field, an operator and a value: list_price>10.',
    });
  }

  #operator(): OperatorSymbol | undefined {
    const symbol = operatorSymbols.find((candidate) => this.#text.startsWith(candidate, this.#at));
    this.#at += symbol?.length ?? 0;
    return symbol;
  }

  #items(): [Literal, ...Literal[]] | FilterError {
    const opened = this.#at - 1;
    const stops = this.#groups.length > 0 ? ',]&|)' : ',]&|';
    this.#skipSpaces();
    if (this.#text.charAt(this.#at) === ']') {
      return new FilterError('filter_syntax', opened, 'The list is empty; it needs at least one value.', {
        suggestion: 'To match the empty text, write [""].',
      });
    }
    const first = this.#value(stops);
    if (first instanceof FilterError) return first;
    const items: [Literal, ...Literal[]] = [first];
    while (this.#accept(',')) {
      if (items.length === MAX_LIST_ITEMS) {
        return new FilterError('filter_list_too_long', this.#at, `The list has more than ${MAX_LIST_ITEMS} values.`, {
          suggestion: 'Split the request, or use a range: id>=1&id<=5000.',
        });
      }
      const item = this.#value(stops);
      if (item instanceof FilterError) return item;
      items.push(item);
    }
    if (!this.#accept(']')) {
      return new FilterError('filter_syntax', opened, 'This list is not closed.', {
        suggestion: 'Close it with ]. Quote a value that contains & | ) , or ]: ["a & b","c"].',
      });
    }
    this.#skipSpaces();
    return items;
  }

  #value(stops: string): Literal | FilterError {
    this.#skipSpaces();
    return this.#text.charAt(this.#at) === '"' ? this.#quoted(stops) : this.#bare(stops);
  }

  #bare(stops: string): Literal {
    const at = this.#at;
    while (this.#at < this.#text.length && !stops.includes(this.#text.charAt(this.#at))) this.#at += 1;
    let end = this.#at;
    while (end > at && this.#text.charAt(end - 1) === ' ') end -= 1;
    const text = this.#text.slice(at, end);
    return { text: text === 'null' ? null : text, at, end };
  }

  #quoted(stops: string): Literal | FilterError {
    const opened = this.#at;
    let text = '';
    for (let at = opened + 1; at < this.#text.length; at += 1) {
      const character = this.#text.charAt(at);
      if (character === '"') {
        this.#at = at + 1;
        this.#skipSpaces();
        if (this.#at < this.#text.length && !stops.includes(this.#text.charAt(this.#at))) {
          return this.#expected(
            `${[...stops].join(' ')} after the closing quote`,
            this.#symbolForWord() ?? {
              suggestion: 'Inside quotes, write \\" for a quote and \\\\ for a backslash.',
            },
          );
        }
        return { text, at: opened, end: at + 1 };
      }
      if (character === '\\') {
        at += 1;
        const escaped = this.#text.charAt(at);
        if (escaped !== '"' && escaped !== '\\') {
          return new FilterError('filter_syntax', at - 1, 'Inside quotes, a backslash must be followed by " or \\.', {
            suggestion: 'For a literal backslash, write \\\\.',
          });
        }
        text += escaped;
      } else {
        text += character;
      }
    }
    return new FilterError('filter_syntax', opened, 'This quote is not closed.', {
      suggestion: 'Close it with ". Inside quotes, write \\" for a quote and \\\\ for a backslash.',
    });
  }

  /** If there is a word between two conditions instead. */
  #symbolForWord(): Help | undefined {
    JOINING_WORD.lastIndex = this.#at;
    const [word] = JOINING_WORD.exec(this.#text) ?? [];
    if (word === undefined) return undefined;
    const symbol = word.toLowerCase() === 'and' ? '&' : '|';
    return {
      suggestion: `Write ${symbol} instead of ${word}.`,
      fixed: this.#text.slice(0, this.#at) + symbol + this.#text.slice(this.#at + word.length),
    };
  }

  #accept(sign: string): boolean {
    if (this.#text.charAt(this.#at) !== sign) return false;
    this.#at += 1;
    return true;
  }

  #skipSpaces(): void {
    while (this.#text.charAt(this.#at) === ' ') this.#at += 1;
  }

  #expected(what: string, help?: Help): FilterError {
    const found = this.#text.codePointAt(this.#at);
    const place = found === undefined ? 'but the filter ends here' : `found ${String.fromCodePoint(found)}`;
    return new FilterError('filter_syntax', this.#at, `Expected ${what}, ${place}.`, help);
  }
}
