/**
 * The fields of a deployment in SQL. The definitions of those that operators have added are rows, and their values are columns like those of all
 * others. A change of both is one transaction, which also gives every account a new access version: sessions have the catalog that was current when
 * they were granted, and every statement verifies their access version, so no request ever works with other fields than the database has.
 */

import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { builtInCatalog, type Catalog, findField } from '../../catalog/catalog.ts';
import { catalogWith, type OwnField } from '../../catalog/own-field.ts';
import type { Field, Resource, ResourceOutline } from '../../catalog/resource.ts';
import { MAX_INDEXED_BYTES, valueTypes } from '../../catalog/value-types.ts';
import { newAccessVersion } from '../accounts/access-version.ts';
import type { SqlAuditTrail } from '../accounts/audit-trail.ts';
import type { AuditAction, Json } from '../audit.ts';
import type { Engine } from '../engine/engine.ts';
import { withPatience } from '../engine/with-patience.ts';
import type { Fields, ValueObstacle } from '../fields.ts';
import { NO_ACCOUNT } from '../sql/audit-statements.ts';
import type { Dialect } from '../sql/dialect.ts';
import { FIELDS_VERSION } from '../sql/ledger.ts';
import { integerOf, type Row, textOf } from '../sql/row.ts';
import { bind, sql, trusted } from '../sql/sql.ts';
import { compile, type Statement } from '../sql/statement.ts';
import { fieldSize, recordBytes } from '../sql/storage-use.ts';
import { differenceOfFields } from '../sql/table-difference.ts';
import { StatementRejected, StoreUnavailable } from '../store-error.ts';
import { DEFINITIONS, type Definitions, definitionsIn, NO_DEFINITIONS } from './definitions.ts';

/** The pause between two attempts to change a table that somebody reads, in milliseconds. */
const PAUSE = 1_000;

const OLD_VALUE =
  'The field was changed, but it has no index yet: a value that a record had before is too long, and another transaction may still read it. Run the same command again.';

type FieldAction = Extract<AuditAction, `field ${string}`>;

export class SqlFields implements Fields {
  readonly #engine: Engine;
  readonly #audit: SqlAuditTrail;
  #known: Definitions = NO_DEFINITIONS;
  /** One after another: fields are compared by identity, so there is one catalog of each version. */
  #reading: Promise<void> = Promise.resolve();

  constructor(engine: Engine, audit: SqlAuditTrail) {
    this.#engine = engine;
    this.#audit = audit;
  }

  async catalog(): Promise<Catalog> {
    const [row = {}] = await this.#engine.reserved(
      compile(sql`SELECT ${FIELDS_VERSION} AS version`, this.#engine.dialect),
    );
    return (await this.at(integerOf(row, 'version'))) ?? this.#known.catalog;
  }

  /** The catalog of this version. Undefined if it is no longer the current one. */
  async at(version: number): Promise<Catalog | undefined> {
    if (this.#known.catalog.version !== version) {
      const reading = this.#reading.then(() => this.#update(version));
      this.#reading = reading.catch(() => undefined);
      await reading;
    }
    return this.#known.catalog.version === version ? this.#known.catalog : undefined;
  }

  async own({ name }: ResourceOutline): Promise<readonly OwnField[]> {
    await this.catalog();
    return this.#known.own.get(name) ?? [];
  }

  async add(catalog: Catalog, resource: ResourceOutline, field: OwnField, onIndexing?: () => void): Promise<boolean> {
    const after = await this.#with(catalog, resource, (fields) => [...fields, field]);
    if (after === undefined) return false;
    const added = fieldIn(after.of(resource), field.name);
    const { dialect } = this.#engine;
    const { required, indexes } = dialect.additions(differenceOfFields(after.of(resource), [added]));
    const isChanged = await this.#change(catalog, after.version, 'field added', resource, field, [
      ...required.map(plain),
      ...this.#growth(after.of(resource), added),
      compile(
        sql`INSERT INTO own_field (resource, name, position, definition)
          SELECT ${bind('text', resource.name)}, ${bind('text', field.name)},
            1 + coalesce((SELECT max(position) FROM own_field), 0), ${bind('text', JSON.stringify(field))}`,
        dialect,
      ),
    ]);
    if (isChanged) await this.#buildIndexes(indexes, onIndexing);
    return isChanged;
  }

  async change(
    catalog: Catalog,
    resource: ResourceOutline,
    field: OwnField,
    onIndexing?: () => void,
  ): Promise<boolean | ValueObstacle> {
    const after = await this.#with(catalog, resource, (fields) =>
      fields.map((each) => (each.name === field.name ? field : each)),
    );
    if (after === undefined) return false;
    const [before, changed] = [catalog, after].map((each) => fieldIn(each.of(resource), field.name));
    if (before === undefined || changed === undefined) return false;
    const { dialect } = this.#engine;
    const isSame = isDeepStrictEqual(
      (await this.own(resource)).find(({ name }) => name === field.name),
      field,
    );
    const { indexed, searched, ...difference } = differenceOfFields(after.of(resource), [changed]);
    const { required, indexes } = dialect.additions({
      ...difference,
      columns: [],
      // If nothing is to be changed, an index may be missing: an earlier command was killed.
      indexed: before.indexed && !isSame ? [] : indexed,
      searched: before.searched ? [] : searched,
    });
    if (isSame) {
      await this.#buildIndexes(indexes, onIndexing);
      return true;
    }
    const obstacles = obstaclesTo(resource, before, changed, dialect);
    const isChanged = await this.#change(catalog, after.version, 'field changed', resource, field, [
      ...(obstacles.length > 0
        ? [...dialect.lockTable(resource.name).map(plain), this.#lockLedgers(resource.name)]
        : []),
      ...obstacles.map(({ statement }): Statement => ({ ...statement, expect: 'none' })),
      ...required.map(plain),
      compile(
        sql`UPDATE own_field SET definition = ${bind('text', JSON.stringify(field))}
          WHERE resource = ${bind('text', resource.name)} AND name = ${bind('text', field.name)}`,
        dialect,
      ),
    ]);
    if (isChanged) await this.#buildIndexes(indexes, onIndexing);
    else
      for (const { statement, read } of obstacles) {
        const [row] = await this.#engine.reserved(statement);
        if (row !== undefined) return read(row);
      }
    return isChanged;
  }

  async remove(catalog: Catalog, resource: ResourceOutline, name: string): Promise<boolean> {
    const definition = (await this.own(resource)).find((field) => field.name === name);
    const after = await this.#with(catalog, resource, (fields) => fields.filter((field) => field.name !== name));
    if (after === undefined || definition === undefined) return false;
    const { dialect } = this.#engine;
    const before = catalog.of(resource);
    const removed = fieldIn(before, name);
    return this.#change(catalog, after.version, 'field removed', resource, definition, [
      ...this.#shrinking(before, removed),
      ...dialect.removal(before, removed, after.of(resource)).map(plain),
      compile(
        sql`DELETE FROM own_field WHERE resource = ${bind('text', resource.name)} AND name = ${bind('text', name)}`,
        dialect,
      ),
    ]);
  }

  async #buildIndexes(statements: readonly string[], onIndexing?: () => void): Promise<void> {
    if (statements.length === 0) return;
    onIndexing?.();
    const { clock } = this.#engine;
    const { beforeTableChange } = this.#engine.dialect;
    await withPatience(
      clock,
      async () => {
        const started = clock.monotonic();
        try {
          await this.#engine.writeLarge([...beforeTableChange, ...statements].map(plain));
        } catch (error) {
          // PostgreSQL also indexes what a record was before, as long as a transaction may read it.
          if (!(error instanceof StatementRejected)) throw error;
          // Nobody could write meanwhile.
          await clock.pause(clock.monotonic() - started);
          throw new StoreUnavailable('busy', OLD_VALUE, { cause: error });
        }
      },
      PAUSE,
    );
  }

  /** The catalog after a change, with a new version. Undefined if the catalog is not the current one. */
  async #with(
    catalog: Catalog,
    resource: ResourceOutline,
    change: (fields: readonly OwnField[]) => readonly OwnField[],
  ): Promise<Catalog | undefined> {
    if ((await this.catalog()) !== catalog) return undefined;
    const { own } = this.#known;
    const changed = new Map([...own, [resource.name, change(own.get(resource.name) ?? [])]]);
    return catalogWith(builtInCatalog, newFieldsVersion(), changed);
  }

  /** False, and nothing happens, if the catalog has changed meanwhile. */
  async #change(
    { version: before }: Catalog,
    version: number,
    action: FieldAction,
    { name: resource }: ResourceOutline,
    field: OwnField,
    statements: readonly Statement[],
  ): Promise<boolean> {
    const { dialect } = this.#engine;
    const { name, ...definition } = field;
    const details: { readonly [detail: string]: Json } = { ...definition };
    const { isCommitted } = await withPatience(
      this.#engine.clock,
      () =>
        this.#engine.writeLarge([
          ...dialect.beforeTableChange.map(plain),
          compile(
            sql`UPDATE counter SET value = ${bind('integer', version)} WHERE name = 'fields' AND value = ${bind('integer', before)} RETURNING value`,
            dialect,
            'some',
          ),
          ...statements,
          compile(sql`UPDATE account SET access = ${bind('integer', newAccessVersion())}`, dialect),
          this.#audit.statement({
            action,
            account: NO_ACCOUNT,
            details: { resource, field: name, definition: details },
          }),
        ]),
      PAUSE,
    );
    return isCommitted;
  }

  /** Every write to a resource of an account holds its row. */
  #lockLedgers(resource: string): Statement {
    return compile(sql`UPDATE ledger SET rows = rows WHERE resource = ${bind('text', resource)}`, this.#engine.dialect);
  }

  /** Existing records have the default, whose size counts. */
  #growth(resource: Resource, field: Field): readonly Statement[] {
    const { initial } = field;
    const value = initial.kind === 'value' ? initial.value : null;
    const bytes = recordBytes({ ...resource, fields: [field] }, new Map([[field, value]]));
    if (bytes === 0) return [];
    return [
      compile(
        sql`UPDATE ledger SET bytes = bytes + rows * ${bind('integer', bytes)} WHERE resource = ${bind('text', resource.name)}`,
        this.#engine.dialect,
      ),
    ];
  }

  /** The ledger rows are locked by a statement of their own, so that the next one sees what was written while this one waited. */
  #shrinking({ name }: Resource, field: Field): readonly Statement[] {
    const table = trusted(name);
    return [
      this.#lockLedgers(name),
      compile(
        sql`UPDATE ledger SET bytes = bytes - (
            SELECT CAST(coalesce(sum(${fieldSize(table, field)}), 0) AS bigint) FROM ${table} WHERE ${table}.account_id = ledger.account_id
          ) WHERE resource = ${bind('text', name)}`,
        this.#engine.dialect,
      ),
    ];
  }

  async #update(version: number): Promise<void> {
    if (this.#known.catalog.version === version) return;
    const read = definitionsIn(await this.#engine.reserved(plain(DEFINITIONS)));
    if (read.catalog.version !== this.#known.catalog.version) this.#known = read;
  }
}

/** A statement that returns a row if the values of records do not permit a change. */
interface ObstacleQuery {
  readonly statement: Statement;
  readonly read: (row: Row) => ValueObstacle;
}

function obstaclesTo(
  { name }: ResourceOutline,
  before: Field,
  after: Field,
  dialect: Dialect,
): readonly ObstacleQuery[] {
  const [table, value] = [trusted(name), trusted(after.column)];
  const ofAccount = sql`account.id = found.account_id LIMIT 1`;
  const repeated: ObstacleQuery = {
    statement: compile(
      sql`SELECT account.name AS account, CAST(found.value AS text) AS value, found.records FROM account, (
          SELECT account_id, ${value} AS value, count(*) AS records FROM ${table} WHERE ${value} IS NOT NULL
            GROUP BY account_id, ${value} HAVING count(*) > 1
        ) AS found WHERE ${ofAccount}`,
      dialect,
    ),
    read: (row) => ({
      kind: 'repeated',
      account: textOf(row, 'account'),
      value: textOf(row, 'value'),
      records: integerOf(row, 'records'),
    }),
  };
  const tooLong: ObstacleQuery = {
    statement: compile(
      sql`SELECT account.name AS account, found.id FROM account, (
          SELECT account_id, id FROM ${table} WHERE octet_length(${value}) > ${bind('integer', MAX_INDEXED_BYTES)}
        ) AS found WHERE ${ofAccount}`,
      dialect,
    ),
    read: (row) => ({ kind: 'too long', account: textOf(row, 'account'), id: integerOf(row, 'id') }),
  };
  return [
    ...(after.indexed && !before.indexed && valueTypes[after.type].storage === 'text' ? [tooLong] : []),
    ...(after.unique && !before.unique ? [repeated] : []),
  ];
}

function fieldIn(resource: Resource, name: string): Field {
  const field = findField(resource, name);
  if (field === undefined) throw new Error(`${resource.name} has no field ${name}`);
  return field;
}

function plain(text: string): Statement {
  return { text, parameters: [] };
}

/** Random, so that a version is not used again for other fields, even if a backup is restored. Never that of the built-in catalog. */
function newFieldsVersion(): number {
  return 1 + randomInt(2 ** 48 - 2);
}
