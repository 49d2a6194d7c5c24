/** Calls in words, for whoever has to find out what went wrong. */

import type { Ask, Call, Outcome } from '../history.ts';

/** Longer texts are cut. */
const MAX_LENGTH = 300;

export function describe({ number, client, start, end, ask, outcome }: Call): string {
  const text = `#${number} client ${client}, moments ${start} to ${end}: ${described(ask)} → ${result(outcome)}`;
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

function described(ask: Ask): string {
  const { kind, resource, ...rest } = ask;
  const details = Object.entries(rest).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${JSON.stringify(value)}`],
  );
  return [`${kind} ${resource}`, ...details].join(', ');
}

function result(outcome: Outcome): string {
  switch (outcome.is) {
    case 'yes': {
      const { status, tag, revision, isReplayed, body } = outcome;
      const named = [
        ...(revision === undefined ? [] : [`revision ${revision}`]),
        ...(tag === undefined ? [] : [`tag ${tag}`]),
        ...(isReplayed ? ['replayed'] : []),
      ];
      return [`${status}`, ...named, ...(body === undefined ? [] : [JSON.stringify(body)])].join(', ');
    }
    case 'no':
      return `${outcome.status} ${outcome.code}${outcome.tag === undefined ? '' : `, tag ${outcome.tag}`}`;
    case 'unknown':
      return `nobody knows: ${outcome.reason}`;
  }
}
