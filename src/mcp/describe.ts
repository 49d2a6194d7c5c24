/** What a model has to know to ask: resources, fields and filters, from the catalog and the operator table. */

import type { Field, Resource } from '../catalog/resource.ts';
import { valueTypes } from '../catalog/value-types.ts';
import { type Operator, operators, operatorsFor } from '../filter/operators.ts';
import type { ToolResult } from './tool.ts';

export function descriptionOf(resources: readonly Resource[]): ToolResult {
  return {
    summary: [...resources.flatMap(linesOf), ...FILTER_LINES],
    structured: {
      resources: resources.map(({ name, meaning, fields, creatable }) => ({
        name,
        meaning,
        creatable,
        fields: fields.map(describeField),
      })),
      filter: FILTER_LINES,
    },
  };
}

function linesOf({ name, meaning, fields }: Resource): readonly string[] {
  return [`${name}: ${meaning}`, ...fields.map(fieldLine), ''];
}

function fieldLine({ name, label, type, nullable, meaning }: Field): string {
  return `- ${name} "${label}" (${type}${nullable ? ' or null' : ''}): ${meaning}`;
}

function describeField({ name, label, type, nullable, meaning }: Field) {
  const symbols = operatorsFor(valueTypes[type].operatorClass).map(({ symbol }) => symbol);
  return { name, label, type, nullable, meaning, operators: symbols };
}

/** The types of values that an operator works on. */
function typesOf({ classes }: Operator): string {
  const types = Object.entries(valueTypes).filter(([, { operatorClass }]) => classes.includes(operatorClass));
  return types.length === Object.keys(valueTypes).length ? 'all types' : types.map(([type]) => type).join(', ');
}

const FILTER_LINES: readonly string[] = [
  'filter: conditions <field><operator><value>, joined with & (and) and | (or); & binds tighter; ( ) groups.',
  ...Object.values<Operator>(operators).map(
    (operator) =>
      `- ${operator.symbol} ${operator.title}, e.g. ${operator.example}: ${operator.meaning} (${typesOf(operator)})`,
  ),
  'Values: text bare, or in double quotes with \\" and \\\\ as escapes if it contains & | ( ) [ ] , or outer spaces;',
  'true or false; ISO 8601 timestamps in UTC such as 2026-01-31 or 2026-01-31T09:30:00Z; null for fields that can be null.',
  'Example: (categ_id=1|categ_id=2)&qty_available<=10&name*chair',
];
