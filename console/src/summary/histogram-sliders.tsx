/** Below a histogram: where the selected range begins and ends, for pointers, fingers and the keyboard. */

import { type ChangeEvent, type CSSProperties, useEffect, useRef } from 'react';
import type { Field } from '../../../src/catalog/resource.ts';
import type { BinWords } from './bin-words.ts';
import { type Bin, type Stretch, wholeBins } from './bins.ts';

export interface HistogramSlidersProps {
  readonly field: Field;
  readonly bins: readonly Bin[];
  /** It may begin and end within a bin. Sliders move to the edges of bins. */
  readonly selected: Stretch;
  readonly words: BinWords;
  readonly onDrag: (stretch: Stretch) => void;
  /** `isContinued` is true for every key after the first, so that the back button undoes all of them at once. */
  readonly onSelect: (stretch: Stretch, isContinued: boolean) => void;
}

export function HistogramSliders(props: HistogramSlidersProps) {
  const { bins, words } = props;
  const [first, last] = [bins.at(0), bins.at(-1)];
  return (
    <div className="histogram-sliders">
      <EndSlider {...props} end={0} />
      <EndSlider {...props} end={1} />
      <div className="histogram-axis" aria-hidden="true">
        <span>{first && words.first(first)}</span>
        <span>{last && words.last(last)}</span>
      </div>
    </div>
  );
}

function EndSlider({ end, ...props }: HistogramSlidersProps & { readonly end: 0 | 1 }) {
  const { field, bins, selected, words, onDrag, onSelect } = props;
  const input = useRef<HTMLInputElement>(null);
  const hasChanged = useRef(false);
  const whole = wholeBins(bins, selected);
  const moved = (value: number): Stretch => {
    const [from, to] = whole;
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
  const bin = bins[end === 0 ? whole[0] : whole[1] - 1];
  /** How far the range begins or ends from the edge of a bin, in hundredths of the chart. */
  const shift: CSSProperties & Record<`--${string}`, number> = {
    '--histogram-shift': ((selected[end] - whole[end]) / bins.length) * 100,
  };
  return (
    <input
      className="histogram-slider"
      ref={input}
      type="range"
      min={0}
      max={bins.length}
      value={whole[end]}
      style={shift}
      onChange={(event: ChangeEvent<HTMLInputElement>) => onDrag(moved(Number(event.target.value)))}
      onPointerDown={forget}
      onBlur={forget}
      aria-label={`${field.label} ${end === 0 ? 'from' : 'up to'}`}
      aria-valuetext={bin === undefined ? '' : words.between(bin, bin)}
    />
  );
}
