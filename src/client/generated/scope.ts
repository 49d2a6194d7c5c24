/** What keys permit. Generated from the catalog: `npm run client`. */

export type Scope = 'read' | 'write' | 'product:read' | 'partner:read' | 'partner:write' | 'company:read';
