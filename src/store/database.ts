/** Where the data is, as `--database` names it. */

export interface Database {
  readonly kind: 'sqlite';
  readonly path: string;
}

export function readDatabase(text: string): Database | undefined {
  const path = text.replace(/^sqlite:(\/\/)?/, '');
  return path === '' || /^\w+:\/\//.test(path) ? undefined : { kind: 'sqlite', path };
}
