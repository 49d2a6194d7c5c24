/** AST to filter text that `parseFilter` reads back as the same AST, with quotes only where they may be needed. */

import type { Filter, Literal } from './ast.ts';

export function printFilter(filter: Filter): string {
  return print(filter, (literals) => literals.map(printLiteral).join(','));
}

/** For a log: `name*…&id[…]`. */
export function printWithoutValues(filter: Filter): string {
  return print(filter, () => '…');
}

function print(filter: Filter, printValues: (literals: readonly Literal[]) => string): string {
  const printed = (operand: Filter) => print(operand, printValues);
  switch (filter.kind) {
    case 'comparison':
      return filter.field.text + filter.operator + printValues([filter.value]);
    case 'membership':
      return `${filter.field.text}${filter.operator}${printValues(filter.items)}]`;
    case 'and':
      return filter.operands
        .map((operand) => (isJunction(operand) ? `(${printed(operand)})` : printed(operand)))
        .join('&');
    case 'or':
      // `&` binds tighter, so an `and` inside an `or` needs no parentheses.
      return filter.operands
        .map((operand) => (operand.kind === 'or' ? `(${printed(operand)})` : printed(operand)))
        .join('|');
  }
}

function isJunction(filter: Filter): boolean {
  return filter.kind === 'and' || filter.kind === 'or';
}

/** Text that means the same bare and in quotes, wherever it stands. */
const SAFE_BARE = /^[^ "&|(),[\]\\=!*<>](?:[^"&|(),[\]\\]*[^ "&|(),[\]\\])?$/;

function printLiteral({ text }: Literal): string {
  return text === null ? 'null' : quoteIfNeeded(text);
}

/** A value as the filter language writes it. */
export function quoteIfNeeded(text: string): string {
  return text !== 'null' && SAFE_BARE.test(text) ? text : quote(text);
}

/** A value in quotes, as the filter language writes it. */
export function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
