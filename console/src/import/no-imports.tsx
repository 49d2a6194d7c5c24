/** In place of an import that the key does not permit: who can help. */

import type { Resource } from '../../../src/catalog/resource.ts';
import { permittingScopes } from '../../../src/catalog/scopes.ts';
import { useSession } from '../session/session.ts';
import { Notice } from '../ui/notice.tsx';

export function NoImports({ resource }: { readonly resource: Resource }) {
  const { account } = useSession().me;
  const [missing] = permittingScopes('edit', resource);
  return (
    <main className="import-page" id="records" tabIndex={-1}>
      <Notice title={`This key may not import ${resource.plural}`} icon="key">
        <p>
          An administrator issues a key that may with{' '}
          <code>
            stockbook key add {account.name} --name LABEL --scope read,{missing}
          </code>
          .
        </p>
      </Notice>
    </main>
  );
}
