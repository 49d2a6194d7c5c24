/** Where the data is, as `--database` names it. */

export interface Database {
  readonly kind: 'sqlite';
  readonly path: string;
}

export function readDatabase(text: string): Database | undefined {
  const path = text.replace(/^sqlite:(\/\/)?/, '');
  // What is kept in memory would be lost at the end, and every thread would have its own.
  const isFile = path !== '' && path !== ':memory:' && !/^\w+:\/\//.test(path);
  return isFile ? { kind: 'sqlite', path } : undefined;
}
