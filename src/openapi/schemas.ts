/** What bodies look like. Members may be added without notice, so no schema forbids unknown ones. */

import { type Catalog, resources } from '../catalog/catalog.ts';
import { type Field, id, isFixed, type Resource } from '../catalog/resource.ts';
import { valueTypes } from '../catalog/value-types.ts';
import { MAX_REPORTED_ERROR } from '../plan/source-report.ts';
import { MAX_VIEW_NAME, MAX_VIEW_QUERY } from '../plan/view.ts';
import { registry } from '../problem/registry.ts';
import { ANY_OBJECT, described, type JsonObject, object, reference } from './json.ts';
import { schemaName } from './operation-id.ts';

const COUNT = { type: 'integer', minimum: 0 } as const;
const PAGE = { type: 'integer', minimum: 1 } as const;
const PAGE_OR_NULL = { type: ['integer', 'null'], minimum: 1 } as const;

/** A value of a measure, or of a group. */
const VALUE = { type: ['string', 'number', 'boolean', 'null'] } as const;

const MEASURES = {
  type: 'object',
  description: 'by measure, such as `sum(list_price)`; null if there are no values',
  additionalProperties: VALUE,
} as const;

const PREVIEWED = { type: 'object', additionalProperties: VALUE } as const;

/** Of views, saved or to be saved. */
const VIEW = {
  name: described({ type: 'string', minLength: 1, maxLength: MAX_VIEW_NAME }, 'unique among the views of its resource'),
  resource: described({ type: 'string', enum: resources.map(({ name }) => name) }, 'the resource that it shows'),
  query: described(
    { type: 'string', maxLength: MAX_VIEW_QUERY },
    'the query string of the console: search, filter, columns, order and charts',
  ),
} as const;
const FIRST_PAGE = described(
  { type: 'boolean' },
  'whether the console shows it first when somebody opens the resource',
);

/** Of problems of imports. */
const REFUSED = {
  errors: {
    type: 'array',
    items: reference('schemas', 'RowError'),
    description: 'of `rows_rejected`: the first 20 errors',
  },
  errorCount: described(COUNT, 'of `rows_rejected`: the number of errors'),
  errorGroups: {
    type: 'array',
    items: reference('schemas', 'ErrorGroup'),
    description: 'of `rows_rejected`: which rows have to be fixed alike',
  },
  questions: {
    type: 'array',
    items: reference('schemas', 'ImportQuestion'),
    description: 'of `decision_required`: what has to be decided before the rows can be imported',
  },
  recognised: {
    ...reference('schemas', 'RecognisedFile'),
    description: 'of `rows_rejected` and `decision_required`: what was recognised in rows with named columns',
  },
  preview: {
    type: 'array',
    items: PREVIEWED,
    description: 'of `rows_rejected` with `dry_run=true`: the first ten rows as they would be stored',
  },
  currentPosition: described(
    { type: ['string', 'null'] },
    'of `position_changed`: the position of the source; null if it has none',
  ),
} as const;

const shared: Readonly<Record<string, JsonObject>> = {
  Pagination: object({
    previousPage: described(PAGE_OR_NULL, 'null on the first page'),
    currentPage: described(PAGE, 'the requested page'),
    nextPage: described(PAGE_OR_NULL, 'null on the last page'),
    totalPages: described(COUNT, '`meta.total` divided by `limit`, rounded up'),
  }),
  ListMeta: object(
    {
      count: described(COUNT, 'number of records in this response'),
      total: described(COUNT, 'number of records that match; always exact'),
      conditions: {
        type: 'array',
        description: 'only with `explain=true`: an item for each condition that the filter joins with `&`',
        items: object({
          filter: described({ type: 'string' }, 'the condition'),
          alone: described(COUNT, 'number of records that meet it'),
          others: described(COUNT, 'number of records that meet all other conditions, and have all words'),
        }),
      },
      words: {
        type: 'array',
        description: 'only with `explain=true`: an item for each word of `q`',
        items: object(
          {
            word: described({ type: 'string' }, 'the word, in lowercase'),
            alone: described(COUNT, 'number of records that have it'),
            others: described(COUNT, 'number of records that have all other words, and meet all conditions'),
            nearest: {
              type: 'array',
              description: 'if no record has it: up to three words that are most like it',
              items: { type: 'string' },
            },
          },
          ['nearest'],
        ),
      },
      hint: {
        ...object({
          text: described({ type: 'string' }, 'what is probably wrong'),
          filter: described({ type: 'string' }, 'the filter as it was probably meant, which finds something'),
          request: described({ type: 'string' }, 'the request with this filter'),
        }),
        description: 'only with `explain=true`: the header `Stockbook-Hint`, if there is one',
      },
    },
    ['conditions', 'words', 'hint'],
  ),
  ChangesMeta: object({
    count: described(COUNT, 'number of changes in this response'),
    cursor: described({ type: 'string' }, 'where to continue: send it as `since`'),
    more: described({ type: 'boolean' }, 'whether there are more changes now'),
  }),
  Digest: object({
    total: described(COUNT, 'number of records'),
    revision: described(COUNT, 'revision of the resource'),
    cursor: described({ type: 'string' }, 'from where changes are missing in a copy with this digest'),
    sha256: described(
      { type: 'string', pattern: '^[0-9a-f]{64}$' },
      'of the bytes of the same list as `application/x-ndjson`',
    ),
  }),
  Aggregate: object({
    measures: MEASURES,
    facets: { type: 'object', description: 'by facet', additionalProperties: reference('schemas', 'Facet') },
  }),
  Facet: object({
    distinct: described(COUNT, 'number of groups, whether or not they are listed'),
    groups: { type: 'array', items: reference('schemas', 'Group') },
    other: object({ values: described(COUNT, 'number of groups that are not listed'), measures: MEASURES }),
  }),
  Group: {
    ...object(
      {
        value: described(VALUE, 'what the records of the group have in the field'),
        from: described(VALUE, 'instead of `value`: the smallest value of a range; null if it is open'),
        to: described(VALUE, 'the value at which the range ends, exclusive; null if it is open'),
        filter: described({ type: 'string' }, 'a filter that selects exactly the records of the group'),
        measures: MEASURES,
      },
      ['value', 'from', 'to'],
    ),
  },
  Me: object({
    account: object({
      name: described({ type: 'string' }, 'part of the host name of the account'),
      currency: described(
        { type: ['string', 'null'], pattern: '^[A-Z]{3}$' },
        'the ISO 4217 code of the currency in which amounts are shown; null if none is set. Numbers are never converted',
      ),
    }),
    key: object({
      id: described({ type: 'string' }, 'the public part of the key, by which the operator knows it'),
      name: described({ type: 'string' }, 'what the key is for'),
      scopes: { type: 'array', items: { type: 'string' }, description: 'what the key permits' },
      createdAt: described({ type: 'string', format: 'date-time' }, 'when the key was issued'),
      expiresAt: described({ type: ['string', 'null'], format: 'date-time' }, 'null if the key does not expire'),
    }),
    limits: object({
      requestsPerSecond: object({
        key: described({ type: ['integer', 'null'], minimum: 1 }, 'of this key; null if it is unlimited'),
        account: described({ type: ['integer', 'null'], minimum: 1 }, 'of all keys of the account; null if unlimited'),
      }),
      recordsPerPage: object({
        default: described(PAGE, 'if a request has no `limit`'),
        maximum: described(PAGE, 'the largest `limit`'),
      }),
      records: described({ type: ['integer', 'null'], minimum: 1 }, 'that the account may have; null if unlimited'),
      bytes: described({ type: ['integer', 'null'], minimum: 1 }, 'that their values may have; null if unlimited'),
    }),
    storage: object({
      records: described({ type: 'integer', minimum: 0 }, 'that the account has'),
      bytes: described({ type: 'integer', minimum: 0 }, 'that their values have'),
    }),
  }),
  ImportResult: object(
    {
      created: described(COUNT, 'number of records that were created'),
      updated: described(COUNT, 'number of records that were changed'),
      unchanged: described(COUNT, 'number of rows that changed nothing'),
      removed: described(COUNT, 'number of records that were removed'),
      skipped: described(COUNT, 'number of rows that could not be imported, with `on_error=skip`'),
      errors: {
        type: 'array',
        items: reference('schemas', 'RowError'),
        description: 'the first 20 errors of skipped rows',
      },
      errorGroups: {
        type: 'array',
        items: reference('schemas', 'ErrorGroup'),
        description: 'if rows were skipped: which of them have to be fixed alike',
      },
      recognised: {
        ...reference('schemas', 'RecognisedFile'),
        description: 'what was recognised in rows with named columns',
      },
      preview: {
        type: 'array',
        items: PREVIEWED,
        description: 'only with `dry_run=true`: the first ten rows as they would be stored',
      },
      revision: described(COUNT, 'revision of the resource after the import'),
      cursor: described({ type: 'string' }, 'where to follow the changes after the import: send it as `since`'),
      refusal: {
        ...reference('schemas', 'ImportProblem'),
        description: 'only with `dry_run=true`: why the import would be refused',
      },
    },
    ['errorGroups', 'recognised', 'preview', 'refusal'],
  ),
  ErrorGroup: object(
    {
      column: described({ type: 'string' }, 'the column or member; absent if whole rows are wrong'),
      reason: described({ type: 'string' }, 'what is wrong'),
      suggestion: described({ type: 'string' }, 'how to fix it'),
      rows: described(COUNT, 'number of rows'),
      lines: { type: 'array', items: PAGE, description: 'the first lines that have it' },
    },
    ['column', 'suggestion'],
  ),
  RecognisedFile: object(
    {
      format: described({ type: 'string' }, 'such as `csv`'),
      encoding: described({ type: 'string' }, 'such as `windows-1252`'),
      delimiter: described({ type: 'string' }, 'what separates cells, such as `;` or `tab`'),
      sheet: described({ type: 'string' }, 'of a workbook'),
      headerRow: described(
        PAGE,
        'in which row, or line, the names of the columns are; absent if it is the first line of a text',
      ),
      decimal: described({ type: 'string', enum: ['.', ','] }, 'the decimal sign, if all numbers have the same'),
      dates: described({ type: 'string' }, 'such as `DD.MM.YYYY`'),
      timezone: described({ type: 'string' }, 'of times that name none'),
      emptyText: described({ type: 'string', enum: ['null'] }, 'if every cell is in quotes, and empty ones are null'),
      origin: described({ type: 'string', enum: ['odoo'] }, 'the program that has written it'),
      columns: {
        type: 'array',
        items: object(
          {
            column: { type: 'string' },
            field: described({ type: ['string', 'null'] }, 'null if the column is ignored'),
            reason: described({ type: 'string' }, 'why it is ignored'),
            examples: {
              type: 'array',
              items: { type: 'string' },
              description: 'only with `dry_run=true`: some of its cells',
            },
          },
          ['reason', 'examples'],
        ),
      },
      notes: { type: 'array', items: { type: 'string' }, description: 'what somebody should check' },
    },
    ['encoding', 'delimiter', 'sheet', 'headerRow', 'decimal', 'dates', 'timezone', 'emptyText', 'origin'],
  ),
  ImportQuestion: object(
    {
      parameter: described(
        {
          type: 'string',
          enum: ['charset', 'sheet', 'decimal', 'dates', 'header_row', 'add', 'encoding', 'headerRow'],
        },
        'the query parameter that answers it; `charset` is one of the `Content-Type`. With `Prefer: wording=client`, the option of the client: `encoding` and `headerRow`',
      ),
      column: described({ type: 'string' }, 'the column that shows it'),
      question: { type: 'string' },
      choices: {
        type: 'array',
        items: object(
          {
            parameter: described(
              { type: 'string', enum: ['key'] },
              'the query parameter of this choice, if it is not that of the question',
            ),
            value: described({ type: 'string' }, 'of the parameter'),
            meaning: described({ type: 'string' }, 'what the rows would mean'),
          },
          ['parameter'],
        ),
      },
    },
    ['column'],
  ),
  RowError: object(
    {
      line: described(PAGE, 'the line on which the row begins, or its place in the array, starting at 1'),
      column: described({ type: 'string' }, 'the column or member; absent if the whole row is wrong'),
      value: described({ type: 'string' }, 'the value, truncated if it is long'),
      reason: described({ type: 'string' }, 'what is wrong'),
      suggestion: described({ type: 'string' }, 'how to fix it'),
    },
    ['column', 'value', 'suggestion'],
  ),
  Import: object(
    {
      id: { type: 'string' },
      resource: described({ type: 'string' }, 'the resource that is imported into, such as `product`'),
      state: { type: 'string', enum: ['running', 'done', 'failed'] },
      rows: described(COUNT, 'number of rows that have been read'),
      actor: described({ type: 'string' }, '`key` and the id of a key, or a user of the operating system'),
      file: described({ type: ['string', 'null'] }, 'the file of `stockbook import`; null over HTTP'),
      source: described({ type: ['string', 'null'] }, 'the source whose position it saves'),
      startedAt: { type: 'string', format: 'date-time' },
      endedAt: described({ type: ['string', 'null'], format: 'date-time' }, 'null while it is running'),
      result: { ...reference('schemas', 'ImportResult'), description: 'only if it is done' },
      problem: { ...reference('schemas', 'ImportProblem'), description: 'only if it has failed: why' },
    },
    ['result', 'problem'],
  ),
  ImportProblem: {
    ...object(
      {
        title: { type: 'string' },
        status: described({ type: 'integer', minimum: 400, maximum: 599 }, 'that a response would have'),
        detail: described({ type: 'string' }, 'what is wrong'),
        code: { type: 'string', enum: Object.keys(registry) },
        parameter: described({ type: 'string' }, 'the query parameter at fault'),
        suggestion: described({ type: 'string' }, 'how to fix it'),
        ...REFUSED,
      },
      ['parameter', ...Object.keys(REFUSED)],
    ),
    description: 'why an import failed, or would fail; the members have the same meaning as those of a problem',
  },
  Source: object({
    name: { type: 'string' },
    resource: described({ type: 'string' }, 'the resource that was last imported into from it'),
    position: described({ type: 'string' }, 'how far the source has been read'),
    savedAt: described({ type: 'string', format: 'date-time' }, 'when the position was saved'),
    checkedAt: described(
      { type: ['string', 'null'], format: 'date-time' },
      'when its connector last reported that everything has been imported; null if it never has',
    ),
    lag: described({ type: ['integer', 'null'], minimum: 0 }, 'seconds since then'),
    failure: described(
      {
        oneOf: [
          object({ error: { type: 'string' }, since: { type: 'string', format: 'date-time' } }),
          { type: 'null' },
        ],
      },
      'the error that its connector reports, and since when it reports this one; null if its last report was none',
    ),
  }),
  SourceReport: object({
    error: described(
      { type: ['string', 'null'], minLength: 1, maxLength: MAX_REPORTED_ERROR },
      'the error of the connector; null if everything has been imported',
    ),
  }),
  NewView: object({ ...VIEW, isFirstPage: { ...FIRST_PAGE, default: false } }, ['isFirstPage']),
  Field: object({
    resource: described({ type: 'string', enum: resources.map(({ name }) => name) }, 'the resource that has it'),
    name: described({ type: 'string' }, 'in records, and wherever a field is named'),
    label: described({ type: 'string' }, 'what people call it'),
    type: described({ type: 'string', enum: Object.keys(valueTypes) }, 'of its values'),
    meaning: { type: 'string' },
    nullable: described({ type: 'boolean' }, 'whether it can be null'),
    default: described(VALUE, 'what records have that were not given a value; null if there is nothing'),
    choices: described(
      { type: ['array', 'null'], items: { type: 'string' } },
      'the only texts that it can hold; null if it is any',
    ),
    indexed: described({ type: 'boolean' }, 'whether exact values are found fast'),
    searched: described({ type: 'boolean' }, 'whether parts of its text are found fast, and `q` looks at it'),
    unique: described({ type: 'boolean' }, 'whether no two records have the same value'),
    builtIn: described({ type: 'boolean' }, 'false if an operator has added it'),
  }),
  View: object({
    id: described({ type: 'string' }, 'part of its link: `/views/{id}`'),
    ...VIEW,
    isFirstPage: FIRST_PAGE,
    savedAt: { type: 'string', format: 'date-time' },
    etag: described({ type: 'string' }, 'for `If-Match`: it changes with every change of the view'),
  }),
  Problem: {
    ...object(
      {
        type: described({ type: 'string', format: 'uri-reference' }, 'a page that explains the error'),
        title: { type: 'string' },
        status: { type: 'integer', minimum: 400, maximum: 599 },
        detail: described({ type: 'string' }, 'what is wrong with this request'),
        code: described({ type: 'string', enum: Object.keys(registry) }, 'stable: programs can branch on it'),
        parameter: described({ type: 'string' }, 'the query parameter or body member at fault'),
        position: described(PAGE, 'the column in the filter, starting at 1'),
        suggestion: described({ type: 'string' }, 'how to fix the request'),
        etag: described(
          { type: 'string' },
          'of `record_changed` and `view_changed`: the tag that the record or the view has now',
        ),
        ...REFUSED,
        requestId: described({ type: 'string' }, 'identifies the request in the log of the service'),
      },
      ['parameter', 'position', 'etag', ...Object.keys(REFUSED)],
    ),
    description: 'RFC 9457',
  },
};

function fieldSchema({ label, type, nullable, meaning, choices }: Field): JsonObject {
  const { type: name = 'string', ...rest } = valueTypes[type].schema;
  const values = choices && { enum: nullable ? [...choices, null] : choices };
  return described({ title: label, type: nullable ? [name, 'null'] : name, ...rest, ...values }, meaning);
}

/**
 * `fields` selects members, so none is required but the id, which programs need in order to continue. A document cannot say that this
 * depends on a parameter.
 */
function recordSchema({ fields, meaning }: Resource): JsonObject {
  const properties = Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)]));
  const description = `${meaning}; all fields, unless \`fields\` selects some. \`id\` is missing only if \`fields\` leaves it out`;
  return { type: 'object', description, properties, required: [id.name] };
}

function schemasOf(resource: Resource): Readonly<Record<string, JsonObject>> {
  const name = schemaName(resource);
  const record = reference('schemas', name);
  const removed = object({
    id: described({ type: 'integer' }, 'of the record that was removed'),
    removed: { type: 'boolean', const: true },
  });
  const schemas = {
    [name]: recordSchema(resource),
    [`${name}List`]: object({
      data: { type: 'array', items: record },
      meta: reference('schemas', 'ListMeta'),
      pagination: reference('schemas', 'Pagination'),
    }),
    [`${name}Changes`]: object({
      data: { type: 'array', items: { anyOf: [removed, record] } },
      meta: reference('schemas', 'ChangesMeta'),
    }),
  };
  const patchable = resource.fields.filter((field) => !isFixed(field));
  const patch = {
    type: 'object',
    properties: Object.fromEntries(patchable.map((field) => [field.name, fieldSchema(field)])),
    additionalProperties: false,
  };
  const row = {
    ...ANY_OBJECT,
    description: `a row of an import: the fields to set in the ${resource.name} that its \`id\`, or the field in \`key\`, identifies. Other members are columns that \`map\` renames`,
    properties: {
      ...Object.fromEntries(resource.fields.map((field) => [field.name, fieldSchema(field)])),
      removed: described({ type: ['boolean', 'null'] }, `true to remove the ${resource.name}`),
    },
  };
  const all = { ...schemas, [`${name}Patch`]: patch, [`${name}Row`]: row };
  if (!resource.isCreatable) return all;
  const creatable = resource.fields.filter((field) => resource.creatable.includes(field.name));
  const created = object(
    Object.fromEntries(creatable.map((field) => [field.name, fieldSchema(field)])),
    creatable.filter(({ initial }) => initial.kind !== 'required').map(({ name }) => name),
  );
  return { ...all, [`New${name}`]: { ...created, additionalProperties: false } };
}

export function schemas(catalog: Catalog): JsonObject {
  return Object.assign({}, ...catalog.resources.map(schemasOf), shared);
}
