/** Why a search or a filter matches nothing, in a sentence. */

import type { ExplainedCondition } from '@stockbook/client';
import type { Resource } from '../../../src/catalog/resource.ts';
import { formatCount } from '../format/values.ts';

/** A condition of the filter, or a word that is searched for. */
export interface Requirement extends Pick<ExplainedCondition, 'alone' | 'others'> {
  readonly words: string;
}

export function reasonForNoRows({ name, plural }: Resource, requirements: readonly Requirement[]): string {
  const impossible = requirements.filter(({ alone }) => alone === 0).map(quoted);
  if (impossible.length > 0) return `No ${name} matches ${inWords(impossible, 'or')}.`;
  const [first, second, ...others] = requirements;
  if (first === undefined || second === undefined) return `No ${name} matches.`;
  if (others.length === 0)
    return `${quoted(first)} and ${quoted(second)} exclude each other: ${formatCount(first.alone)} ${plural} match the first, ${formatCount(second.alone)} the second, and none match both.`;
  // If all others are met together without it, a condition alone is to blame.
  const decisive = requirements.filter((requirement) => requirement.others > 0).map(quoted);
  if (decisive.length === 0) return `Each of them matches some ${plural}, but several of them exclude each other.`;
  const [only, ...more] = decisive;
  return more.length === 0
    ? `Each of them matches some ${plural}. Without ${only}, there are rows.`
    : `Each of them matches some ${plural}, but none match all of them. There are rows without ${inWords(decisive, 'or')}.`;
}

function quoted({ words }: Requirement): string {
  return `“${words}”`;
}

function inWords(texts: readonly string[], joint: string): string {
  const last = texts.at(-1) ?? '';
  return texts.length <= 1 ? last : `${texts.slice(0, -1).join(', ')} ${joint} ${last}`;
}
