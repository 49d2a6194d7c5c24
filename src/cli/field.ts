/** stockbook field */

import { Command } from 'commander';
import { valueFromText } from '../catalog/field-value.ts';
import { listedField } from '../catalog/listed-field.ts';
import { changeFlaw, fieldOf, flawOf, type OwnField, ownFieldsOf } from '../catalog/own-field.ts';
import type { ResourceOutline } from '../catalog/resource.ts';
import { Mismatch, type Value } from '../catalog/value.ts';
import { MAX_INDEXED_BYTES, type ValueType, valueTypes } from '../catalog/value-types.ts';
import { nearest } from '../problem/nearest.ts';
import { parameters } from '../request/parameters.ts';
import type { Store, ValueObstacle } from '../store/store.ts';
import { CommandError } from './command-error.ts';
import { count, printJsonLines, printNote, printResult, printTable } from './output.ts';
import { chooseResource, RESOURCE_NAMES } from './resources.ts';
import { addSettingFlags } from './setting-flags.ts';
import { withStore } from './with-store.ts';

/** A choice is a text out of a list. */
const CHOICE = 'choice';
const TYPES: readonly string[] = [...Object.keys(valueTypes), CHOICE];

interface FieldOptions {
  readonly label?: string;
  readonly description?: string;
  readonly choices?: string;
  readonly indexed?: true;
  readonly searched?: true;
  readonly unique?: true;
}

export function fieldCommand(): Command {
  const command = new Command('field').description('add, list, change and remove fields of your own, for all accounts');
  const withOptions = (name: string) =>
    addSettingFlags(command.command(name), ['database'])
      .argument('<resource>', RESOURCE_NAMES.join(', '))
      .argument('<name>', 'lowercase letters, digits and _, such as x_weight')
      .option('--label <TEXT>', 'what people call it, such as "Net weight"')
      .option('--description <TEXT>', 'what it means, such as "net weight in kilograms"')
      .option('--choices <LIST>', 'the texts that a choice can be, separated by commas')
      .option('--indexed', 'make exact matches fast')
      .option('--unique', 'no two records of an account have the same value; includes --indexed')
      .option('--searched', 'make searches for parts of its text fast, and have searches look at it');
  withOptions('add')
    .description('add a field')
    .argument('<type>', TYPES.join(', '))
    .option('--default <VALUE>', 'what records have in it unless they are given something else; null if there is none')
    .addHelpText(
      'after',
      `
A running service has the field at once. Records are not rewritten, and nobody waits for longer than a moment; while an
index is built, writes of the resource wait, about a second for every million records.
A later version of Stockbook may have a field of the same name; one that begins with x_ will never be built in.

  stockbook field add product x_weight number --label Weight --description "weight in kilograms" --indexed
  stockbook field add product x_stage choice --choices new,sale,gone
  stockbook field add product x_barcode text --unique`,
    )
    .action(addField);
  addSettingFlags(command.command('list'), ['database'])
    .description('list the fields of all resources, or of one')
    .argument('[resource]', RESOURCE_NAMES.join(', '))
    .option('--own', 'leave out built-in fields')
    .option('--json', 'print every field as a line of JSON')
    .action(listFields);
  withOptions('change')
    .description('change what a field is called or means, add choices, or have it indexed, searched or unique')
    .action(changeField);
  addSettingFlags(command.command('remove'), ['database'])
    .description('remove a field with its values in all accounts')
    .argument('<resource>', RESOURCE_NAMES.join(', '))
    .argument('<name>')
    .option('--yes', 'confirm it; without this flag, the command only says what it would remove')
    .action(removeField);
  return command;
}

async function addField(
  resourceName: string,
  name: string,
  typeName: string,
  { default: initial, ...options }: FieldOptions & { readonly default?: string },
  command: Command,
): Promise<void> {
  const resource = chooseResource(resourceName);
  const { type, choices } = readType(typeName, options);
  const field: OwnField = {
    name,
    label: options.label ?? labelFrom(name),
    type,
    meaning: options.description ?? (options.label ?? labelFrom(name)).toLowerCase(),
    initial: null,
    ...(choices && { choices }),
    ...(options.indexed && { indexed: true }),
    ...(options.searched && { searched: true }),
    ...(options.unique && { unique: true }),
  };
  const added = { ...field, initial: initial === undefined ? null : readDefault(field, initial) };
  await withStore(command, { create: false, isPatient: true }, async (store) => {
    await inTurn(resource, async () => {
      const catalog = await store.fields.catalog();
      const flaw = flawOf(added, catalog.of(resource), Object.keys(parameters));
      if (flaw !== undefined) throw new CommandError(flaw);
      return store.fields.add(catalog, resource, added, noteIndexing);
    });
    await completeSearch(store, added);
    printResult(`Added the field ${name} to ${resource.plural}.`);
  });
}

async function changeField(resourceName: string, name: string, options: FieldOptions, command: Command): Promise<void> {
  const resource = chooseResource(resourceName);
  if (Object.keys(options).length === 0) throw new CommandError('Give what is to be changed; see --help.', 2);
  await withStore(command, { create: false, isPatient: true }, async (store) => {
    let changed: OwnField | undefined;
    await inTurn(resource, async () => {
      const catalog = await store.fields.catalog();
      const before = await findOwn(store, resource, name);
      const { label, description, choices, indexed, searched, unique } = options;
      changed = {
        ...before,
        ...(label !== undefined && { label }),
        ...(description !== undefined && { meaning: description }),
        ...(choices !== undefined && { choices: choicesIn(choices) }),
        ...(indexed && { indexed }),
        ...(searched && { searched }),
        ...(unique && { unique }),
      };
      const flaw = changeFlaw(before, changed, catalog.of(resource));
      if (flaw !== undefined) throw new CommandError(flaw);
      const done = await store.fields.change(catalog, resource, changed, noteIndexing);
      if (typeof done === 'boolean') return done;
      throw new CommandError(obstacleText(done, name, resource));
    });
    if (changed !== undefined) await completeSearch(store, changed);
    printResult(`Changed the field ${name} of ${resource.plural}.`);
  });
}

async function listFields(
  resourceName: string | undefined,
  { own, json }: { readonly own?: true; readonly json?: true },
  command: Command,
): Promise<void> {
  const chosen = resourceName === undefined ? undefined : chooseResource(resourceName);
  await withStore(command, { create: false, mayBeReadOnly: true }, async (store) => {
    const catalog = await store.fields.catalog();
    const fields = catalog.resources
      .filter(({ name }) => chosen === undefined || name === chosen.name)
      .flatMap((resource) =>
        (own ? ownFieldsOf(resource) : resource.fields).map((field) => ({ resource: resource.name, field })),
      );
    if (json) {
      printJsonLines(fields.map(({ resource, field }) => listedField(resource, field)));
      return;
    }
    if (fields.length === 0) {
      printNote('There are no fields of your own. Add one with "stockbook field add RESOURCE NAME TYPE".');
      return;
    }
    printTable(
      ['RESOURCE', 'FIELD', 'TYPE', 'LABEL', 'OWN', 'INDEXED', 'UNIQUE', 'SEARCHED', 'MEANING'],
      fields.map(({ resource, field }) => [
        resource,
        field.name,
        `${field.choices === undefined ? field.type : CHOICE}${field.nullable ? ' or null' : ''}`,
        field.label,
        yes(field.isOwn),
        yes(field.indexed),
        yes(field.unique),
        yes(field.searched),
        `${field.meaning}${field.choices === undefined ? '' : `: ${field.choices.join(', ')}`}`,
      ]),
    );
  });
}

async function removeField(
  resourceName: string,
  name: string,
  { yes: isConfirmed }: { readonly yes?: true },
  command: Command,
): Promise<void> {
  const resource = chooseResource(resourceName);
  await withStore(command, { create: false, isPatient: true }, async (store) => {
    await findOwn(store, resource, name);
    if (!isConfirmed) {
      const accounts = await store.accounts.list();
      const records = accounts.reduce((sum, { rows }) => sum + (rows.get(resource.name) ?? 0), 0);
      throw new CommandError(
        `This would remove the field ${name} and its values from ${count(records, resource.name, resource.plural)} in ${count(accounts.length, 'account', 'accounts')}. Add --yes to do it.`,
      );
    }
    await inTurn(resource, async () => {
      const catalog = await store.fields.catalog();
      await findOwn(store, resource, name);
      return store.fields.remove(catalog, resource, name);
    });
    printResult(`Removed the field ${name} from ${resource.plural}.`);
  });
}

function obstacleText(obstacle: ValueObstacle, name: string, { name: singular, plural }: ResourceOutline): string {
  const { account } = obstacle;
  return obstacle.kind === 'repeated'
    ? `The field ${name} cannot be unique: ${obstacle.records} ${plural} of ${account} have the value "${obstacle.value}".`
    : `The field ${name} cannot be indexed: its text in the ${singular} ${obstacle.id} of ${account} has more than ${MAX_INDEXED_BYTES} bytes.`;
}

/** How often a change is tried while others change fields as well. */
const MAX_ATTEMPTS = 10;

async function inTurn({ plural }: ResourceOutline, change: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) if (await change()) return;
  throw new CommandError(`The fields of ${plural} keep changing. Try again.`);
}

async function findOwn(store: Store, resource: ResourceOutline, name: string): Promise<OwnField> {
  const own = await store.fields.own(resource);
  const found = own.find((field) => field.name === name);
  if (found !== undefined) return found;
  const { fields } = (await store.fields.catalog()).of(resource);
  if (fields.some((field) => field.name === name))
    throw new CommandError(
      `The field ${name} of ${resource.plural} is built in. Only fields of your own can be changed.`,
    );
  const meant = nearest(
    name,
    own.map((field) => field.name),
  );
  throw new CommandError(
    `${resource.plural} have no field ${name} of your own.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
  );
}

function readType(
  name: string,
  { choices }: FieldOptions,
): { readonly type: ValueType; readonly choices?: readonly string[] } {
  if (name === CHOICE) {
    if (choices === undefined) throw new CommandError('A choice needs --choices, such as --choices new,sale,gone.', 2);
    return { type: 'text', choices: choicesIn(choices) };
  }
  if (choices !== undefined) throw new CommandError('--choices requires the type choice.', 2);
  const type = Object.keys(valueTypes).find((known): known is ValueType => known === name);
  if (type !== undefined) return { type };
  const meant = nearest(name, TYPES);
  const help = meant === undefined ? `The types are ${TYPES.join(', ')}.` : `Did you mean ${meant}?`;
  throw new CommandError(`There is no type ${name}. ${help}`, 2);
}

function choicesIn(text: string): readonly string[] {
  return text.split(',').map((choice) => choice.trim());
}

function readDefault(field: OwnField, text: string): Value {
  const value = valueFromText(fieldOf(field), text);
  if (value instanceof Mismatch) throw new CommandError(`--default ${value.requirement}, not "${text}".`, 2);
  return value;
}

/** `x_net_weight`: Net weight */
function labelFrom(name: string): string {
  const words = name.replace(/^x_/, '').replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function noteIndexing(): void {
  printNote('The field is there. Building its index …');
}

async function completeSearch(store: Store, { searched }: OwnField): Promise<void> {
  if (searched) await store.records.completeSearch();
}

function yes(is: true | undefined): string {
  return is ? 'yes' : '';
}
