import { expect, test } from 'vitest';
import { UnreadableFile } from '../../../src/import/format.ts';
import { exampleFile, openWorkbook, workbookParts, zipParts } from '../../support/workbooks.ts';

const { '_rels/.rels': relationships = '' } = workbookParts({ sheets: {} });
const referringTo = (part: string) => String(relationships).replace('xl/workbook.xml', part);

test.each<[string, Buffer, string]>([
  ['an empty file', Buffer.alloc(0), 'The file is empty.'],
  ['.xls', exampleFile('products.xls'), 'Save it as .xlsx without a password'],
  ['.ods', exampleFile('products.ods'), 'OpenDocument file (.ods)'],
  ['CSV', Buffer.from('id,name\n1,x\n'), 'import it as that'],
  ['HTML', Buffer.from('\ufeff\n<html><table>'), 'HTML or XML'],
  ['a ZIP archive', zipParts({ 'products.csv': 'id,name\n' }), 'unpack it first'],
  ['an empty ZIP archive', zipParts({}), 'unpack it first'],
  ['Numbers', zipParts({ 'Index/Document.iwa': '' }), 'document of Numbers'],
  ['.xlsb', zipParts({ '_rels/.rels': referringTo('xl/workbook.bin'), 'xl/workbook.bin': '' }), '.xlsb'],
  [
    'Word',
    zipParts({ '_rels/.rels': referringTo('word/document.xml'), 'word/document.xml': '<w:document xmlns:w="x"/>' }),
    'not a workbook',
  ],
  ['only the first bytes', exampleFile('products.xlsx').subarray(0, 3_000), 'truncated'],
])('%s is refused, with what to do', async (_, bytes, message) => {
  const error = await openWorkbook(bytes).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UnreadableFile);
  expect(String(error)).toContain(message);
});
