import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { repeatedMember } from '../../src/request/repeated-member.ts';
import { anyText } from '../support/any-text.ts';

test.each([
  ['{"name":"a","name":"b"}', 'name'],
  ['{"name":"a","name":"a"}', 'name'],
  ['{"name":"a","n\\u0061me":"b"}', 'name'],
  ['{"n\\u0061me":"a","name":"b"}', 'name'],
  ['{"a":1,"b":2,"c":3,"b":4}', 'b'],
  [' { "a" : 1 , "a" : 2 } ', 'a'],
  ['{"":1,"":2}', ''],
  ['{"\\"":1,"\\u0022":2}', '"'],
  ['{"\\\\":1,"\\\\":2}', '\\'],
  ['{"a\\/b":1,"a/b":2}', 'a/b'],
  ['{"😀":1,"\\ud83d\\ude00":2}', '😀'],
  ['{"__proto__":1,"__proto__":2}', '__proto__'],
  ['{"a":{"b":1,"b":2}}', 'b'],
  ['{"a":[{"b":1},{"c":1,"c":2}]}', 'c'],
  ['{"a":{"x":1},"a":2}', 'a'],
  ['[[{"a":[],"a":{}}]]', 'a'],
  ['{"a":"{\\"a\\":1,","b":1,"a":2}', 'a'],
])('%s repeats %j', (json, name) => {
  expect(repeatedMember(json)).toBe(name);
});

test.each([
  '{}',
  '[]',
  '"a"',
  'null',
  '{"a":1,"A":2,"á":3,"a\\u0301":4}',
  '{"a":{"a":{"a":1}},"b":{"a":1}}',
  '[{"a":1},{"a":1}]',
  '{"a":["a","a"],"b":"a","c":"a"}',
  '{"a":"\\",\\"a\\":1","b":"\\\\"}',
])('%s repeats nothing', (json) => {
  expect(repeatedMember(json)).toBeUndefined();
});

/** A JSON value as a tree that may repeat members. */
type Tree = string | readonly Tree[] | { readonly members: readonly (readonly [string, Tree])[] };

const name = fc.oneof(fc.constantFrom('a', 'b', 'c', '"', '\\', ',', '{', ''), anyText(2));
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    name,
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.array(fc.tuple(name, tie('tree')), { maxLength: 4 }).map((members) => ({ members })),
  ),
}));

/** Written with every character escaped or none, and with spaces between all tokens. */
function print(node: Tree, isEscaped: boolean): string {
  const text = (value: string) =>
    isEscaped
      ? `"${Array.from({ length: value.length }, (_, n) => `\\u${value.charCodeAt(n).toString(16).padStart(4, '0')}`).join('')}"`
      : JSON.stringify(value);
  if (typeof node === 'string') return text(node);
  if ('members' in node)
    return `{ ${node.members.map(([key, value], n) => `${n % 2 === 0 ? text(key) : JSON.stringify(key)} : ${print(value, isEscaped)}`).join(' , ')} }`;
  return `[ ${node.map((item) => print(item, isEscaped)).join(' , ')} ]`;
}

function hasRepeated(node: Tree): boolean {
  if (typeof node === 'string') return false;
  if (!('members' in node)) return node.some(hasRepeated);
  const names = node.members.map(([key]) => key);
  return new Set(names).size < names.length || node.members.some(([, value]) => hasRepeated(value));
}

test('agrees with the tree that the text was printed from', () => {
  fc.assert(
    fc.property(tree, fc.boolean(), (node, isEscaped) => {
      const json = print(node, isEscaped);
      JSON.parse(json);
      expect(repeatedMember(json) !== undefined).toBe(hasRepeated(node));
    }),
    { numRuns: 2_000 },
  );
});

/** In bytes. */
const LARGE = 1024 * 1024;

describe('hostile text of any size', () => {
  const half = LARGE / 2;
  const names = Array.from({ length: 100_000 }, (_, n) => `"${n}":1`);
  test.each([
    ['arrays in arrays', `${'['.repeat(half)}${']'.repeat(half)}`],
    ['objects in objects', `${'{"":'.repeat(LARGE / 5)}1${'}'.repeat(LARGE / 5)}`],
    ['empty objects', `[${'{},'.repeat(LARGE / 3 - 2)}{}]`],
    ['many members', `{${names.join(',')}}`],
    ['a long string of escapes', `{"a":"${'\\\\'.repeat(half - 10)}"}`],
    ['a long string of quotes', `{"a":"${'\\"'.repeat(half - 10)}"}`],
    ['a long name', `{"${'\\u0061'.repeat(LARGE / 6 - 2)}":1}`],
  ])('has no repeated member: %s', (_, json) => {
    expect(repeatedMember(json)).toBeUndefined();
  });

  test('a repeated member at the very end', () => {
    expect(repeatedMember(`{${names.join(',')},"99999":1}`)).toBe('99999');
    const depth = 100_000;
    expect(repeatedMember(`${'[{"a":'.repeat(depth)}{"b":1,"b":2}${'}]'.repeat(depth)}`)).toBe('b');
  });
});
