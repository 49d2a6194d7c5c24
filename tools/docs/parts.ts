/** The parts of the docs that repeat a table of the code, by their names. */

import { KEYS_OF_PARTS } from '../../console/src/shortcuts/keys-of-parts.ts';
import { SHORTCUTS } from '../../console/src/shortcuts/shortcuts.ts';
import { builtInCatalog } from '../../src/catalog/catalog.ts';
import type { Resource } from '../../src/catalog/resource.ts';
import { SCOPES, type Scope } from '../../src/catalog/scopes.ts';
import { isText, MAX_INDEXED_BYTES, MAX_TEXT_LENGTH, valueTypes } from '../../src/catalog/value-types.ts';
import { type Operator, operators } from '../../src/filter/operators.ts';
import { toolsOf } from '../../src/mcp/tools.ts';
import { adminPaths } from '../../src/observe/admin/admin-app.ts';
import { metricNames, metrics } from '../../src/observe/metrics/metrics.ts';
import { registry } from '../../src/problem/registry.ts';
import { IMPORT_PARAMETERS, LIST_PARAMETERS, type ParameterName, parameters } from '../../src/request/parameters.ts';
import { apiPaths, mcpPaths, publicPaths } from '../../src/request/route.ts';
import { flagOf, settingNames, settings, variableOf } from '../../src/settings/settings.ts';
import { auditActions } from '../../src/store/audit.ts';
import { checksOf } from '../../src/store/check/checks.ts';
import { searchedTexts, textColumn } from '../../src/store/sql/columns.ts';
import { sqliteChecks } from '../../src/store/sqlite/checks.ts';
import { decisions } from '../../test/http/decisions/decisions.ts';

export const parts: Readonly<Record<string, () => string>> = {
  endpoints: () =>
    table(
      ['request', 'purpose'],
      [...apiPaths, ...mcpPaths, ...publicPaths].flatMap(({ path, purposes }) =>
        Object.entries(purposes).map(([method, purpose]) => [code(`${method} ${path}`), purpose]),
      ),
    ),
  scopes: () =>
    table(
      ['scope', 'permits'],
      SCOPES.map((scope) => [code(scope), permitted(scope)]),
    ),
  'parameters of lists': () => parameterTable(LIST_PARAMETERS),
  'parameters of changes': () => parameterTable(['since']),
  'parameters of imports': () => parameterTable(IMPORT_PARAMETERS),
  fields: () =>
    [
      longTexts(),
      ...builtInCatalog.resources.flatMap((resource) => [`### ${resource.name}`, fieldTable(resource)]),
    ].join('\n\n'),
  decisions: () =>
    table(
      ['point', 'behaviour'],
      decisions.map(({ point, says }) => [point, says]),
    ),
  operators: () =>
    table(
      ['operator', 'syntax', 'example', 'works on', 'meaning'],
      Object.values<Operator>(operators).map(({ title, symbol, example, classes, meaning }) => [
        title,
        code(symbol),
        code(example),
        Object.entries(valueTypes)
          .filter(([, { operatorClass }]) => classes.includes(operatorClass))
          .map(([type]) => type)
          .join(', '),
        meaning,
      ]),
    ),
  errors: () =>
    table(
      ['code', 'status', 'title', 'how to fix it'],
      Object.entries(registry).map(([name, { status, title, hint }]) => [code(name), String(status), title, hint]),
    ),
  settings: () =>
    table(
      ['flag', 'variable', 'default', 'meaning'],
      settingNames.map((name) => {
        const { placeholder, fallback, help } = settings[name];
        const flag = placeholder === undefined ? flagOf(name) : `${flagOf(name)} ${placeholder}`;
        return [code(flag), code(variableOf(name)), code(String(fallback)), help];
      }),
    ),
  'admin paths': () =>
    table(
      ['path', 'what it is'],
      Object.entries(adminPaths).map(([path, { meaning }]) => [code(path), meaning]),
    ),
  metrics: () =>
    table(
      ['metric', 'type', 'labels', 'meaning'],
      metricNames.map((name) => {
        const { type, labels, help } = metrics[name];
        return [code(name), type, labels.map(code).join(', '), help];
      }),
    ),
  tools: () =>
    table(
      ['tool', 'arguments', 'scope', 'purpose'],
      toolsOf(builtInCatalog).map(({ name, description, action, resources, arguments: taken, required }) => [
        code(name),
        Object.keys(taken)
          .map((argument) => code(`${argument}${required.includes(argument) ? '' : '?'}`))
          .join(', '),
        code(resources.length === 1 ? `${resources[0]?.name}:${action}` : action),
        description,
      ]),
    ),
  'audit actions': () =>
    table(
      ['action', 'when', 'details'],
      Object.entries(auditActions).map(([action, { meaning, details }]) => [
        code(action),
        meaning,
        details.map(code).join(', '),
      ]),
    ),
  checks: () =>
    table(
      ['check', 'what it verifies', 'what `--repair` does'],
      checksOf({ checks: sqliteChecks }).map(({ name, verifies, repairs }) => [name, verifies, repairs]),
    ),
  'keys of the console': () =>
    table(
      ['key', 'where', 'what it does'],
      [
        ...Object.values(SHORTCUTS).map(({ keys, where, does }) => [code(keys), where, does]),
        ...KEYS_OF_PARTS.map(({ keys, where, does }) => [keys, where, does]),
      ],
    ),
  'search indexes': () =>
    ['```sql', 'CREATE EXTENSION pg_trgm;', 'CREATE EXTENSION btree_gin;', ...searchIndexes(), '```'].join('\n'),
};

function permitted(scope: Scope): string {
  if (scope === 'read') return 'reading every resource, also those that later versions add';
  if (scope === 'write') return 'creating records of every resource that supports it';
  if (scope === 'edit')
    return 'changing, removing and importing records of every resource, also those that later versions add';
  const [name, action = ''] = scope.split(':');
  const resource = builtInCatalog.resources.find((candidate) => candidate.name === name);
  return `${{ read: 'reading', write: 'creating', edit: 'changing, removing and importing' }[action]} ${resource?.plural}`;
}

function parameterTable(names: readonly ParameterName[]): string {
  const rows = names.map((name) => [code(name), parameters[name].meaning, code(parameters[name].example)]);
  return table(['parameter', 'meaning', 'example'], rows);
}

function fieldTable({ fields }: Resource): string {
  const rows = fields.map(({ name, label, type, nullable, meaning }) => [
    code(name),
    label,
    type,
    nullable ? 'yes' : 'no',
    meaning,
  ]);
  return table(['field', 'label', 'type', 'null', 'meaning'], rows);
}

function longTexts(): string {
  const fields = builtInCatalog.resources.flatMap((resource) => resource.fields);
  const indexed = new Set(fields.filter((field) => field.indexed && isText(field)).map(({ name }) => code(name)));
  const [characters, bytes] = [MAX_TEXT_LENGTH, MAX_INDEXED_BYTES].map((limit) => limit.toLocaleString('en-US'));
  return `Text has at most ${characters} characters; ${new Intl.ListFormat('en-GB').format(indexed)} also have at most ${bytes} bytes in UTF-8.`;
}

function searchIndexes(): readonly string[] {
  return builtInCatalog.resources.flatMap((resource) =>
    searchedTexts(resource).map(({ name, field, form }) => {
      const text = form === 'folded' ? textColumn(field, form) : `(${textColumn(field, form)})`;
      return `CREATE INDEX CONCURRENTLY ${resource.name}_${name}_search ON ${resource.name} USING gin (account_id, ${text} gin_trgm_ops);`;
    }),
  );
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows].map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`);
  return [lines[0], `|${header.map(() => '---|').join('')}`, ...lines.slice(1)].join('\n');
}

function code(text: string): string {
  return `\`${text}\``;
}
