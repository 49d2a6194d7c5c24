/** Whether what somebody has dropped or chosen can be imported, and what to do if not. Only the first byte of a file is read. */

import { extensionOf, formatOf, READABLE } from './file-formats.ts';

/** A file, or a sentence about what is wrong. */
export async function checkFiles(files: readonly File[], folders: readonly string[] = []): Promise<File | string> {
  const [folder] = folders;
  if (folder !== undefined) return `“${folder}” is a folder. Drop one file that has the rows.`;
  const [file] = files;
  if (file === undefined) return 'There is no file in what was dropped.';
  if (files.length > 1) return `These are ${files.length} files. Import one after the other: each has its own columns.`;
  const { name, size } = file;
  if (formatOf(name) === undefined) return `“${name}” ${reasonFor(file)} Files that can be imported are ${READABLE}.`;
  if (size === 0) return `“${name}” is empty.`;
  return (await canRead(file)) ? file : `“${name}” cannot be read. It may have been moved, or it is a folder.`;
}

/** Not if it was moved, removed or changed since it was chosen. */
export async function canRead(file: File): Promise<boolean> {
  try {
    await file.slice(0, 1).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

function reasonFor({ name, type }: File): string {
  if (type.startsWith('image/')) return 'is a picture: it has no rows.';
  switch (extensionOf(name)) {
    case 'xls':
    case 'xlsb':
    case 'ods':
    case 'numbers':
      return 'is a spreadsheet in a format that is not read. Save it as .xlsx.';
    case 'zip':
    case '7z':
    case 'rar':
      return 'is an archive. Unpack it first.';
    default:
      return 'cannot be imported.';
  }
}
