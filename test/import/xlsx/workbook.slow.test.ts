/** Large workbooks, and what they take. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { UnreadableFile } from '../../../src/import/format.ts';
import { SharedStrings } from '../../../src/import/xlsx/shared-strings.ts';
import { DEADLINE } from '../../support/deadline.ts';
import { peakMemory } from '../../support/memory.ts';
import { start } from '../../support/program.ts';
import { Random } from '../../support/random.ts';
import { rounds } from '../../support/rounds.ts';
import { sharedFolder } from '../../support/shared.ts';
import { type WorkbookContent, workbookFile } from '../../support/workbooks.ts';

const MEBIBYTE = 1024 * 1024;
const READER = fileURLToPath(new URL('../../support/read-workbook.ts', import.meta.url));
const DAMAGED_READER = fileURLToPath(new URL('../../support/read-damaged.ts', import.meta.url));

const folder = sharedFolder();

/** Reads it in a process of its own. */
async function read(content: WorkbookContent) {
  writeFileSync(join(folder.path, 'large.xlsx'), workbookFile(content));
  const running = start(['large.xlsx'], { folder: folder.path, program: READER });
  const { peak = 0, stdout, stderr } = await peakMemory(running);
  expect(stderr).toBe('');
  return { peak, counts: JSON.parse(stdout) as unknown };
}

function rowsXml(count: number): string {
  const row = (number: number) =>
    `<row r="${number}" spans="1:8">
<c r="A${number}"><v>${number}</v></c>
<c r="B${number}" t="inlineStr"><is><t>Product ${number * 7919}</t></is></c>
<c r="C${number}"><v>${number / 100}</v></c>
<c r="D${number}" t="b"><v>${number % 2}</v></c>
<c r="E${number}" s="1"><v>${45_000 + number / 1000}</v></c>
<c r="F${number}" t="s"><v>${number % 3}</v></c>
<c r="H${number}" t="str"><f>B${number}</f><v>x${number}</v></c></row>`;
  return Array.from({ length: count }, (_, index) => row(index + 1)).join('');
}

const styles = '<cellXfs><xf/><xf numFmtId="22"/></cellXfs>';
const strings = '<si><t>one</t></si><si><t>two</t></si><si><t>three</t></si>';

describe('memory', () => {
  test('does not depend on how many rows there are', async () => {
    const few = await read({ sheets: { S: rowsXml(5_000) }, styles, strings });
    expect(few.counts).toEqual({ rows: 5_000, cells: 40_000 });
    const many = await read({ sheets: { S: rowsXml(100_000) }, styles, strings });
    expect(many.counts).toEqual({ rows: 100_000, cells: 800_000 });
    expect(many.peak - few.peak).toBeLessThan(48 * MEBIBYTE);
  });

  test('a million texts take little more than their bytes', async () => {
    const small = await read({ sheets: { S: '<row><c t="s"><v>2</v></c></row>' }, strings });
    const texts = Array.from({ length: 1_000_000 }, (_, index) => `<si><t>Product ${index * 7919}</t></si>`).join('');
    const large = await read({ sheets: { S: '<row><c t="s"><v>999999</v></c></row>' }, strings: texts });
    expect(large.counts).toEqual({ rows: 1, cells: 1 });
    expect(large.peak - small.peak).toBeLessThan(128 * MEBIBYTE);
  });

  test.each([1, 500])('%d long texts in 10,000 rows', async (count) => {
    const row = (index: number) => `<row><c t="s"><v>${index % count}</v></c></row>`;
    const random = new Random(1);
    const long = () => `<si><t>${random.bytes(1_000).toString('hex').repeat(32)}</t></si>`;
    const texts = Array.from({ length: count }, long).join('');
    const few = await read({ sheets: { S: row(0) }, strings: texts });
    const many = await read({
      sheets: { S: Array.from({ length: 10_000 }, (_, index) => row(index)).join('') },
      strings: texts,
    });
    expect(many.counts).toEqual({ rows: 10_000, cells: 10_000 });
    expect(many.peak - few.peak).toBeLessThan(128 * MEBIBYTE);
  });

  test('4,194,305 texts are too many', () => {
    const strings = new SharedStrings();
    const none = new Map<string, string>();
    const add = () => {
      strings.open('si', none);
      strings.close('si');
    };
    strings.open('sst', none);
    for (let index = 0; index < 4_194_304; index += 1) add();
    expect(add).toThrow(UnreadableFile);
  });

  test('of damaged files is bounded', { timeout: rounds(DEADLINE, 3_600_000) }, async () => {
    const readDamaged = async (count: number) => {
      const running = start(['2', String(count)], { folder: folder.path, program: DAMAGED_READER });
      const { code, peak = 0, stderr } = await peakMemory(running);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return peak;
    };
    const few = await readDamaged(100);
    expect((await readDamaged(rounds(1_000, 50_000))) - few).toBeLessThan(128 * MEBIBYTE);
  });
});
