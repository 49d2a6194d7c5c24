/** A client for Node and browsers, `@stockbook/client`: plain ECMAScript and `fetch`, without dependencies. */

export type { Aggregate, Facet, FacetResult, Group, Measure } from './aggregate.ts';
export type { Changes } from './changes.ts';
export { Connection, type StockbookOptions } from './connection.ts';
export type { Digest } from './digest.ts';
export { Filter, type FilterValue, filter } from './filter.ts';
export type { ProblemCode } from './generated/problem-code.ts';
export type * from './generated/records.ts';
export type { Scope } from './generated/scope.ts';
export { Stockbook } from './generated/stockbook.ts';
export { type Importable, type ImportOptions, type ImportProgress, type ImportRow, StartedImport } from './import.ts';
export { type Import, type ImportProblem, type ImportResult, Imports, type Source, Sources } from './imports.ts';
export type { StreamEnd } from './lines.ts';
export type { ListedField } from './listed-field.ts';
export type { Me } from './me.ts';
export type { Copy, MirrorProgress } from './mirror.ts';
export type { RequestOptions } from './options.ts';
export type { ExplainedCondition, ExplainedWord, Hint, Page, Tagged } from './page.ts';
export type { ImportFile, ImportFormat } from './pieces.ts';
export type {
  ErrorGroup,
  ImportChoice,
  ImportQuestion,
  PreviewedRecord,
  RecognisedColumn,
  RecognisedFile,
} from './recognised.ts';
export { CreatableResource, Resource } from './resource.ts';
export { type SignInOptions, signIn } from './sign-in.ts';
export { type ClientErrorCode, type ErrorCode, type RowError, StockbookError } from './stockbook-error.ts';
export { type NewView, type View, Views } from './views.ts';
