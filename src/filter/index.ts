/** The filter language as a library, `@stockbook/client/filter`: plain ECMAScript without dependencies, for servers and browsers. */

export type { Comparison, Condition, Filter, Junction, Literal, Membership, Name } from './ast.ts';
export { columnOf, FilterError, type FilterErrorCode } from './filter-error.ts';
export { MAX_CONDITIONS, MAX_DEPTH, MAX_FILTER_BYTES, MAX_LIST_ITEMS } from './limits.ts';
export {
  complementOf,
  isListSymbol,
  type ListSymbol,
  type Operator,
  type OperatorClass,
  type OperatorKind,
  type OperatorSymbol,
  operators,
  operatorsFor,
  type ValueSymbol,
} from './operators.ts';
export { parseFilter } from './parse.ts';
export { printFilter, quote } from './print.ts';
