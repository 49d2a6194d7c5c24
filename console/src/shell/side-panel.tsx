/** Beside the table: the summary, the code for the same request, or the response. */

import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { PANELS } from '../../../src/plan/view-query.ts';
import { SummaryPanel } from '../summary/summary-panel.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import { loadLater } from '../ui/load-later.tsx';
import { useView } from '../view/use-view.ts';
import type { Panel } from '../view/view.ts';
import './side-panel.css';

const CodePanel = loadLater(() => import('../code/code-panel.tsx'));
const ResponsePanel = loadLater(() => import('../response/response-panel.tsx'));

const TITLES: Readonly<Record<Panel, { readonly title: string; readonly icon: IconName }>> = {
  summary: { title: 'Summary', icon: 'chart' },
  code: { title: 'Code', icon: 'code' },
  response: { title: 'Response', icon: 'response' },
};

export function SidePanel() {
  const { view, show } = useView();
  if (view.panel === undefined) return null;
  return (
    <aside className="side-panel" aria-label="About these records">
      <Tabs
        selectedKey={view.panel}
        onSelectionChange={(key) => show({ panel: PANELS.find((panel) => panel === key) })}
      >
        <TabList className="side-panel-tabs" aria-label="About these records">
          {PANELS.map((panel) => (
            <Tab className="side-panel-tab" id={panel} key={panel}>
              <Icon name={TITLES[panel].icon} />
              {TITLES[panel].title}
            </Tab>
          ))}
        </TabList>
        <TabPanel className="side-panel-content" id="summary">
          <SummaryPanel />
        </TabPanel>
        <TabPanel className="side-panel-content" id="code">
          <CodePanel />
        </TabPanel>
        <TabPanel className="side-panel-content" id="response">
          <ResponsePanel />
        </TabPanel>
      </Tabs>
    </aside>
  );
}
