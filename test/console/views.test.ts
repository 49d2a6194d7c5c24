/** What a link of the console leads to is shown. All other views, and what can be done there, are in the slow tests. */

import { afterAll, beforeAll, test } from 'vitest';
import { startConsole, type TestConsole } from '../support/console.ts';
import { sqlite } from '../support/engines.ts';
import { endVisit, openView, VIEWS } from './views.ts';

let app: TestConsole;
beforeAll(async () => {
  app = await startConsole(sqlite);
});
afterAll(() => app.close());

const LINKED = VIEWS.filter(
  ({ open, scopes, logs }) => open === undefined && scopes === undefined && logs === undefined,
);

test.each(LINKED)('a link leads to $name', async (view) => {
  await endVisit(await openView(app, view), view.logs);
});
