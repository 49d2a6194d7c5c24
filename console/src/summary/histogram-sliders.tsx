/** Below a histogram: where the selected range begins and ends, for pointers, fingers and the keyboard. */

import { type ChangeEvent, useEffect, useRef } from 'react';
import type { Field } from '../../../src/catalog/resource.ts';
import type { Bin, Stretch } from './bins.ts';

export interface HistogramSlidersProps {
  readonly field: Field;
  readonly bins: readonly Bin[];
  /** Whole bins. */
  readonly selected: Stretch;
  readonly labelOf: (bin: Bin) => string;
  readonly onDrag: (stretch: Stretch) => void;
  /** `isContinued` is true for every key after the first, so that the back button undoes all of them at once. */
  readonly onSelect: (stretch: Stretch, isContinued: boolean) => void;
}

export function HistogramSliders(props: HistogramSlidersProps) {
  return (
    <div className="histogram-sliders">
      <EndSlider {...props} end={0} />
      <EndSlider {...props} end={1} />
      <div className="histogram-axis" aria-hidden="true">
        <span>{edgeLabel(props, 0)}</span>
        <span>{edgeLabel(props, 1)}</span>
      </div>
    </div>
  );
}

function EndSlider({ end, ...props }: HistogramSlidersProps & { readonly end: 0 | 1 }) {
  const { field, bins, selected, labelOf, onDrag, onSelect } = props;
  const input = useRef<HTMLInputElement>(null);
  const hasChanged = useRef(false);
  const moved = (value: number): Stretch => {
    const [from, to] = selected;
    return end === 0 ? [Math.min(value, to - 1), to] : [from, Math.max(value, from + 1)];
  };
  const commit = useRef((_value: number) => {});
  commit.current = (value) => {
    onSelect(moved(value), hasChanged.current);
    hasChanged.current = true;
  };
  const forget = () => {
    hasChanged.current = false;
  };
  useEffect(() => {
    const element = input.current;
    const onChange = () => commit.current(Number(element?.value));
    // React has the event `input` under this name. This one is fired when a pointer lets go, and for each key.
    element?.addEventListener('change', onChange);
    return () => element?.removeEventListener('change', onChange);
  }, []);
  const bin = bins[end === 0 ? selected[0] : selected[1] - 1];
  return (
    <input
      className="histogram-slider"
      ref={input}
      type="range"
      min={0}
      max={bins.length}
      value={selected[end]}
      onChange={(event: ChangeEvent<HTMLInputElement>) => onDrag(moved(Number(event.target.value)))}
      onPointerDown={forget}
      onBlur={forget}
      aria-label={`${field.name} ${end === 0 ? 'from' : 'up to'}`}
      aria-valuetext={bin === undefined ? '' : labelOf(bin)}
    />
  );
}

function edgeLabel({ bins, labelOf }: HistogramSlidersProps, end: 0 | 1): string {
  const bin = bins.at(end === 0 ? 0 : -1);
  if (bin === undefined) return '';
  const [from = '', to = ''] = labelOf(bin).split(' – ');
  return end === 0 ? from : to || from;
}
