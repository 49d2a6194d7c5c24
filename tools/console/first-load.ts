/** What a browser loads before the console is usable: the entry chunk, what that imports statically, and their stylesheets. */

import type { Rolldown } from 'vite';

/** The names of the files in `assets/`. */
export function firstLoad(output: readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[]): readonly string[] {
  const chunks = new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file] as const] : [])));
  const loaded = new Set<string>();
  const load = (name: string): void => {
    const chunk = chunks.get(name);
    if (loaded.has(name)) return;
    loaded.add(name);
    for (const style of chunk?.viteMetadata?.importedCss ?? []) loaded.add(style);
    for (const imported of chunk?.imports ?? []) load(imported);
  };
  for (const { fileName, isEntry } of chunks.values()) if (isEntry) load(fileName);
  return [...loaded].map((name) => name.replace(/^assets\//, ''));
}
