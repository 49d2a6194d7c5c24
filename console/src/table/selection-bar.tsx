/** What can be done with the selected rows: copy them to a spreadsheet. Ctrl + C does the same. */

import { useLayoutEffect, useState } from 'react';
import { Group } from 'react-aria-components';
import type { Field, Resource } from '../../../src/catalog/resource.ts';
import type { RecordValues } from '../data/records.ts';
import { countOf } from '../format/values.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { cellsOf, htmlTable, tabSeparated } from './spreadsheet-cells.ts';
import './selection-bar.css';

export interface SelectionBarProps {
  readonly resource: Resource;
  readonly fields: readonly Field[];
  /** At least one, in the order of the table. */
  readonly records: readonly RecordValues[];
  readonly onClear: () => void;
}

export default function SelectionBar({ resource, fields, records, onClear }: SelectionBarProps) {
  /** What was copied last. */
  const [copied, setCopied] = useState<readonly RecordValues[]>();
  // Before the bar is painted: what it says of the keys is true at once.
  useLayoutEffect(() => {
    const copy = (event: ClipboardEvent) => {
      if (event.clipboardData === null || isCopyingText()) return;
      event.preventDefault();
      const cells = cellsOf(fields, records);
      event.clipboardData.setData('text/plain', tabSeparated(cells));
      event.clipboardData.setData('text/html', htmlTable(cells));
      setCopied(records);
    };
    document.addEventListener('copy', copy);
    return () => document.removeEventListener('copy', copy);
  }, [fields, records]);
  const { name, plural } = resource;
  return (
    <Group className="selection-bar" aria-label="Selected rows">
      <span role="status">
        {countOf(records.length, name, plural)} {copied === records ? 'copied' : 'selected'}
      </span>
      {/* It fires the event for which the listener waits. The asynchronous clipboard is for secure pages only. */}
      <Button onPress={() => document.execCommand('copy')}>
        <Icon name="copy" /> Copy for a spreadsheet
      </Button>
      <Button look="quiet" onPress={onClear}>
        Clear selection
      </Button>
    </Group>
  );
}

/** Whether something else on the page would be copied. */
function isCopyingText(): boolean {
  const { activeElement } = document;
  const isField = activeElement instanceof HTMLInputElement || activeElement instanceof HTMLTextAreaElement;
  return isField || getSelection()?.isCollapsed === false;
}
