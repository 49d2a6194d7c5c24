/** The files that can be imported, by their names: what a file is called says more than the type that a browser gives it. */

export interface FileFormat {
  readonly title: string;
  readonly extensions: readonly string[];
  readonly mediaType: string;
  /** In which format rejected rows are returned. Undefined if they are not: an array has no rows that stand alone. */
  readonly rejects?: { readonly mediaType: string; readonly extension: string };
}

const TABLE = { mediaType: 'text/csv', extension: 'csv' };
const LINES = { mediaType: 'application/x-ndjson', extension: 'ndjson' };

const FORMATS: readonly FileFormat[] = [
  { title: 'CSV', extensions: ['csv', 'txt'], mediaType: 'text/csv', rejects: TABLE },
  { title: 'TSV', extensions: ['tsv', 'tab'], mediaType: 'text/tab-separated-values', rejects: TABLE },
  {
    title: 'Excel (.xlsx)',
    extensions: ['xlsx', 'xlsm'],
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    rejects: TABLE,
  },
  { title: 'JSON', extensions: ['json'], mediaType: 'application/json' },
  { title: 'NDJSON', extensions: ['ndjson', 'jsonl'], mediaType: 'application/x-ndjson', rejects: LINES },
];

const CODINGS: Readonly<Record<string, string>> = { gz: 'gzip', zst: 'zstd' };

/** What the dialog of the browser offers. */
export const ACCEPTED = [...FORMATS.flatMap(({ extensions }) => extensions), ...Object.keys(CODINGS)]
  .map((extension) => `.${extension}`)
  .join();

/** For people. */
export const READABLE = `${new Intl.ListFormat('en').format(FORMATS.map(({ title }) => title))}, also compressed with gzip or zstd`;

/** Undefined if it is none that can be imported. */
export function formatOf(name: string): FileFormat | undefined {
  const extension = extensionOf(codingOf(name) === undefined ? name : name.slice(0, name.lastIndexOf('.')));
  return FORMATS.find(({ extensions }) => extensions.includes(extension));
}

/** How a file is compressed. */
export function codingOf(name: string): string | undefined {
  return CODINGS[extensionOf(name)];
}

/** In lowercase; empty if the name has none. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot + 1).toLowerCase();
}
