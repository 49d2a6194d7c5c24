/** What keys permit. Generated from the catalog: `npm run client`. */

export type Scope =
  | 'read'
  | 'write'
  | 'edit'
  | 'product:read'
  | 'product:edit'
  | 'partner:read'
  | 'partner:write'
  | 'partner:edit'
  | 'company:read'
  | 'company:edit';
