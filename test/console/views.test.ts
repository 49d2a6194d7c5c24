/** Every view of the console can be opened. What can be done there is in the slow tests. */

import { afterAll, beforeAll, test } from 'vitest';
import { startConsole, type TestConsole } from '../support/console.ts';
import { sqlite } from '../support/engines.ts';
import { endVisit, openView, VIEWS } from './views.ts';

let console: TestConsole;
beforeAll(async () => {
  console = await startConsole(sqlite);
});
afterAll(() => console.close());

test.each(VIEWS)('$name', async (view) => {
  await endVisit(await openView(console, view), view.logs);
});
