/** The console: asks for a key until there is one that works, and then shows the account. */

import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { newQueryClient } from './data/query-client.ts';
import { ExportProvider } from './export/export-provider.tsx';
import { ImportProvider } from './import/import-state.tsx';
import { RemovalsProvider } from './record/removals.tsx';
import { Resuming } from './session/resuming.tsx';
import { type Session, SessionContext } from './session/session.ts';
import { useSignIn } from './session/use-sign-in.ts';
import { Workspace } from './shell/workspace.tsx';
import { FailureBoundary } from './ui/failure-boundary.tsx';
import { loadLater } from './ui/load-later.tsx';

const SignIn = loadLater(() => import('./session/sign-in.tsx'));

export function App() {
  const { state, signIn } = useSignIn();
  return <FailureBoundary>{page()}</FailureBoundary>;

  function page(): ReactNode {
    switch (state.kind) {
      case 'signed in':
        return <Account session={state.session} key={state.session.me.key.id} />;
      case 'resuming':
        return <Resuming />;
      default:
        return <SignIn state={state} onSignIn={signIn} />;
    }
  }
}

/** What was seen in a session ends with it. */
function Account({ session }: { readonly session: Session }) {
  const [queryClient] = useState(() => newQueryClient(session.onEnded));
  useEffect(() => session.exchanges.observe(), [session]);
  return (
    <SessionContext value={session}>
      <QueryClientProvider client={queryClient}>
        <ExportProvider>
          <ImportProvider>
            <RemovalsProvider>
              <Workspace />
            </RemovalsProvider>
          </ImportProvider>
        </ExportProvider>
      </QueryClientProvider>
    </SessionContext>
  );
}
