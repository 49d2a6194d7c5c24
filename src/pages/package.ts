/** The directory of the package, both from `src/pages/` and from `dist/pages/`. */
export const PACKAGE = new URL('../../', import.meta.url);
