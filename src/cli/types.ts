/** stockbook types */

import { Command } from 'commander';
import { ownFieldsOf } from '../catalog/own-field.ts';
import type { Field, Resource } from '../catalog/resource.ts';
import { valueTypes } from '../catalog/value-types.ts';
import { printNote, printResult } from './output.ts';
import { addSettingFlags } from './setting-flags.ts';
import { withStore } from './with-store.ts';

export function typesCommand(): Command {
  return addSettingFlags(new Command('types'), ['database'])
    .description('print TypeScript declarations of your own fields, which extend the types of @stockbook/client')
    .addHelpText(
      'after',
      `
  stockbook types > stockbook-fields.d.ts`,
    )
    .action((_: object, command: Command) => printTypes(command));
}

async function printTypes(command: Command): Promise<void> {
  await withStore(command, { create: false, mayBeReadOnly: true }, async (store) => {
    const { resources } = await store.fields.catalog();
    const extended = resources.filter((resource) => ownFieldsOf(resource).length > 0);
    if (extended.length === 0)
      printNote('There are no fields of your own. Add one with "stockbook field add RESOURCE NAME TYPE".');
    printResult(
      '/** Fields that were added to Stockbook. Written by "stockbook types". */',
      '',
      "import '@stockbook/client';",
      '',
      "declare module '@stockbook/client' {",
      ...extended.flatMap(extensions),
      '}',
    );
  });
}

function extensions(resource: Resource): readonly string[] {
  const type = resource.name.charAt(0).toUpperCase() + resource.name.slice(1);
  const own = ownFieldsOf(resource);
  return [
    ...extension(
      type,
      own.flatMap((field) => member(field, '')),
    ),
    ...extension(
      `${type}Types`,
      own.map((field) => `readonly ${field.name}: '${field.type}';`),
    ),
    ...(resource.isCreatable
      ? extension(
          `New${type}`,
          own.flatMap((field) => member(field, '?')),
        )
      : []),
  ];
}

function extension(name: string, lines: readonly string[]): readonly string[] {
  return [`  interface ${name} {`, ...lines.map((line) => `    ${line}`), '  }'];
}

function member(field: Field, optional: '' | '?'): readonly string[] {
  const { name, meaning, nullable } = field;
  const type = `${jsonTypeOf(field)}${nullable ? ' | null' : ''}`;
  return [`/** ${meaning.replaceAll('*/', '*\\/')} */`, `readonly ${name}${optional}: ${type};`];
}

function jsonTypeOf({ type, choices }: Field): string {
  if (choices !== undefined) return choices.map((choice) => JSON.stringify(choice)).join(' | ');
  return typeof valueTypes[type].examples[0];
}
