/** Shows, hides and reorders columns, with a mouse, touch or keys, and sets the height of rows. */

import { useState } from 'react';
import { Button as AriaButton, Checkbox, GridList, GridListItem, useDragAndDrop } from 'react-aria-components';
import { findField } from '../../../src/catalog/catalog.ts';
import { fieldNames, type Resource } from '../../../src/catalog/resource.ts';
import { explanationOf, labelOf } from '../format/field-words.ts';
import { Button } from '../ui/button.tsx';
import { Choice } from '../ui/choice.tsx';
import { Icon } from '../ui/icon.tsx';
import { Popover } from '../ui/popover.tsx';
import type { Opener } from '../ui/use-opener.ts';
import { moveField } from '../view/move-field.ts';
import { useView } from '../view/use-view.ts';
import { hiddenFields, newView } from '../view/view.ts';
import { chooseDensity, currentDensity } from './density.ts';
import '../ui/checkbox.css';
import './columns-chooser.css';

const DENSITIES = [
  { id: 'compact', title: 'compact' },
  { id: 'normal', title: 'normal' },
  { id: 'roomy', title: 'roomy' },
] as const;

export default function ColumnsChooser({ opener }: { readonly opener: Opener }) {
  const { view, adjust } = useView();
  const { resource, fields } = view;
  const [density, setDensity] = useState(currentDensity);
  // A column that is hidden keeps its place until the chooser is closed.
  const [order, setOrder] = useState<readonly string[]>([...fields, ...hiddenFields(view)]);
  const arrange = (next: readonly string[], shown: readonly string[]) => {
    setOrder(next);
    if (shown.length > 0) adjust({ fields: next.filter((name) => shown.includes(name)) });
  };
  const toggle = (field: string) => {
    const isShown = fields.includes(field);
    arrange(
      order,
      order.filter((name) => (name === field ? !isShown : fields.includes(name))),
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
    <Popover opener={opener} label="Columns">
      <div className="columns-chooser">
        <GridList
          className="columns-chooser-list"
          aria-label="Columns"
          dragAndDropHooks={dragAndDropHooks}
          items={order.map((name) => ({ id: name }))}
          dependencies={[fields]}
        >
          {({ id }) => (
            <GridListItem
              className="columns-chooser-item"
              textValue={labelOf(resource, id)}
              onAction={() => toggle(id)}
            >
              <AriaButton className="columns-chooser-handle" slot="drag" aria-label={`Move ${labelOf(resource, id)}`}>
                <Icon name="drag" />
              </AriaButton>
              <Checkbox
                className="checkbox"
                aria-label={`Show ${labelOf(resource, id)}`}
                isSelected={fields.includes(id)}
                isDisabled={fields.length === 1 && fields.includes(id)}
                onChange={() => toggle(id)}
              >
                <span className="checkbox-box">
                  <Icon name="check" />
                </span>
              </Checkbox>
              <span className="columns-chooser-name">{labelOf(resource, id)}</span>
              <span className="columns-chooser-meaning">{explanation(resource, id)}</span>
            </GridListItem>
          )}
        </GridList>
        <Button onPress={reset}>Reset columns</Button>
        <div className="columns-chooser-density">
          <span aria-hidden="true">Row height</span>
          <Choice
            label="Row height"
            options={DENSITIES}
            chosen={density}
            onChoose={(chosen) => {
              chooseDensity(chosen);
              setDensity(chosen);
            }}
          />
        </div>
      </div>
    </Popover>
  );
}

/** Undefined if the label says it all. */
function explanation(resource: Resource, name: string): string | undefined {
  const field = findField(resource, name);
  return field && explanationOf(field);
}
