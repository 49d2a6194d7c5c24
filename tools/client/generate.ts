/** The catalog and the registry of errors as TypeScript for the client. */

import { builtInCatalog } from '../../src/catalog/catalog.ts';
import { type Field, fieldNames, type Resource } from '../../src/catalog/resource.ts';
import { SCOPES } from '../../src/catalog/scopes.ts';
import { type ValueType, valueTypes } from '../../src/catalog/value-types.ts';
import { registry } from '../../src/problem/registry.ts';

export interface GeneratedFile {
  /** In the repository. */
  readonly path: string;
  readonly text: string;
}

const DIRECTORY = 'src/client/generated';

export function generatedFiles(): readonly GeneratedFile[] {
  return [
    { path: `${DIRECTORY}/records.ts`, text: records() },
    { path: `${DIRECTORY}/stockbook.ts`, text: stockbook() },
    { path: `${DIRECTORY}/problem-code.ts`, text: problemCodes() },
    { path: `${DIRECTORY}/scope.ts`, text: scopes() },
  ];
}

function records(): string {
  return `/** Records, and the value types of their fields. Generated from the catalog: \`npm run client\`. */

/** What JSON has for a value type, and which operators it supports. */
export interface ValueTypes {
${Object.entries(valueTypes)
  .map(
    ([type, row]) =>
      `  readonly ${type}: { readonly json: ${jsonType(row)}; readonly operators: '${row.operatorClass}' };\n`,
  )
  .join('')}}
${builtInCatalog.resources.map(recordTypes).join('')}`;
}

/** The type of its examples. */
function jsonType({ examples: [example] }: (typeof valueTypes)[ValueType]): string {
  return typeof example;
}

function recordTypes(resource: Resource): string {
  const { name, meaning, fields, creatable } = resource;
  const type = capitalized(name);
  const created = fields.filter((field) => creatable.includes(field.name));
  return `
/** One of ${meaning}. */
export interface ${type} {
${fields.map((field) => member(field, '')).join('')}}

export interface ${type}Types {
${fields.map((field) => `  readonly ${field.name}: '${field.type}';\n`).join('')}}
${created.length === 0 ? '' : `\n/** What a new ${name} is created from. */\nexport interface New${type} {\n${created.map((field) => member(field, field.initial.kind === 'required' ? '' : '?')).join('')}}\n`}`;
}

function member({ name, meaning, type, nullable }: Field, optional: '' | '?'): string {
  return `  /** ${meaning} */\n  readonly ${name}${optional}: ${jsonType(valueTypes[type])}${nullable ? ' | null' : ''};\n`;
}

function stockbook(): string {
  const types = builtInCatalog.resources.flatMap((resource) => typesOf(resource).split(', ')).toSorted();
  const classes = [...new Set(builtInCatalog.resources.map(classOf))].toSorted();
  return `/** An account and its resources. Generated from the catalog: \`npm run client\`. */

import { Connection, type StockbookOptions } from '../connection.ts';
import { Imports, Sources } from '../imports.ts';
import { type ListedField, readFields } from '../listed-field.ts';
import { type Me, readMe } from '../me.ts';
import type { RequestOptions } from '../options.ts';
import { ${classes.join(', ')} } from '../resource.ts';
import { Views } from '../views.ts';
${list('import type {', types, "} from './records.ts';")}

export class Stockbook {
${builtInCatalog.resources.map((resource) => `  /** ${capitalized(resource.meaning)}. */\n  readonly ${resource.plural}: ${classOf(resource)}<${typesOf(resource)}>;\n`).join('')}  /** What was imported in the last 30 days, and what is being imported. */
  readonly imports: Imports;
  /** How far sources have been imported. */
  readonly sources: Sources;
  /** What the console has saved under a name. */
  readonly views: Views;
  readonly #connection: Connection;

  constructor(options: StockbookOptions) {
    const connection = new Connection(options);
    this.#connection = connection;
${builtInCatalog.resources.map(construction).join('')}    this.imports = new Imports(connection);
    this.sources = new Sources(connection);
    this.views = new Views(connection);
  }

  /** What the key is and may do. */
  me(options: RequestOptions = {}): Promise<Me> {
    return readMe(this.#connection, options);
  }

  /** The fields of all resources, including those that operators have added. */
  fields(options: RequestOptions = {}): Promise<readonly ListedField[]> {
    return readFields(this.#connection, options);
  }
}
`;
}

function construction(resource: Resource): string {
  const fields = fieldNames(resource).map((name) => `'${name}'`);
  const start = `this.${resource.plural} = new ${classOf(resource)}(connection, '${resource.path}', [`;
  return `${list(start, fields, ']);', '    ')}\n`;
}

function typesOf({ name, creatable }: Resource): string {
  const type = capitalized(name);
  return `${type}, ${type}Types${creatable.length > 0 ? `, New${type}` : ''}`;
}

function classOf({ creatable }: Resource): string {
  return creatable.length > 0 ? 'CreatableResource' : 'Resource';
}

function problemCodes(): string {
  return `/** The codes of errors that the service reports. Generated from the registry: \`npm run client\`. */

export type ProblemCode =
${Object.keys(registry)
  .map((code) => `  | '${code}'`)
  .join('\n')};
`;
}

function scopes(): string {
  const words = SCOPES.map((scope) => `'${scope}'`);
  const line = `export type Scope = ${words.join(' | ')};`;
  const type = line.length <= 120 ? line : `export type Scope =\n${words.map((word) => `  | ${word}`).join('\n')};`;
  return `/** What keys permit. Generated from the catalog: \`npm run client\`. */\n\n${type}\n`;
}

/** As the formatter writes it: on one line if it fits. */
function list(start: string, items: readonly string[], end: string, indent = ''): string {
  const space = start.endsWith('{') ? ' ' : '';
  const line = `${indent}${start}${space}${items.join(', ')}${space}${end}`;
  if (line.length <= 120) return line;
  return `${indent}${start}\n${items.map((item) => `${indent}  ${item},\n`).join('')}${indent}${end}`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
