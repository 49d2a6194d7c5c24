/** Which columns there are, and in which order: with a pointer, with a finger, or with keys. */

import { useState } from 'react';
import {
  Button as AriaButton,
  Checkbox,
  GridList,
  GridListItem,
  type Selection,
  useDragAndDrop,
} from 'react-aria-components';
import { findField } from '../../../src/catalog/catalog.ts';
import { fieldNames } from '../../../src/catalog/resource.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { moveField } from '../view/move-field.ts';
import { useView } from '../view/use-view.ts';
import { hiddenFields, newView } from '../view/view.ts';
import '../ui/checkbox.css';
import './columns-chooser.css';

export default function ColumnsChooser() {
  const { view, adjust } = useView();
  const { resource, fields } = view;
  // While the choice is open, a column that is hidden keeps its place.
  const [order, setOrder] = useState<readonly string[]>([...fields, ...hiddenFields(view)]);
  const arrange = (next: readonly string[], shown: readonly string[]) => {
    setOrder(next);
    if (shown.length > 0) adjust({ fields: next.filter((name) => shown.includes(name)) });
  };
  const choose = (selection: Selection) => {
    arrange(
      order,
      order.filter((name) => selection === 'all' || selection.has(name)),
    );
  };
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => [...keys].map((key) => ({ 'text/plain': String(key) })),
    onReorder: ({ keys, target }) => {
      const [moved] = keys;
      const at = order.indexOf(String(target.key)) + (target.dropPosition === 'after' ? 1 : 0);
      arrange(moveField(order, String(moved), order[at]), fields);
    },
  });
  const reset = () => {
    adjust({ fields: newView(resource).fields, widths: new Map() });
    setOrder(fieldNames(resource));
  };
  return (
    <div className="columns-chooser">
      <GridList
        className="columns-chooser-list"
        aria-label="Columns"
        selectionMode="multiple"
        selectionBehavior="toggle"
        disallowEmptySelection
        selectedKeys={new Set(fields)}
        onSelectionChange={choose}
        dragAndDropHooks={dragAndDropHooks}
        items={order.map((name) => ({ id: name }))}
        dependencies={[fields]}
      >
        {({ id }) => (
          <GridListItem className="columns-chooser-item" textValue={id}>
            <AriaButton className="columns-chooser-handle" slot="drag" aria-label={`Move ${id}`}>
              <Icon name="drag" />
            </AriaButton>
            <Checkbox className="checkbox" slot="selection">
              <span className="checkbox-box">
                <Icon name="check" />
              </span>
            </Checkbox>
            <span className="columns-chooser-name">{id}</span>
            <span className="columns-chooser-meaning">{findField(resource, id)?.meaning}</span>
          </GridListItem>
        )}
      </GridList>
      <Button onPress={reset}>Reset columns</Button>
    </div>
  );
}
