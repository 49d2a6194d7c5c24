/** The bars of a histogram. Dragging over them selects a range, and pressing one selects it. */

import { type PointerEvent, useRef } from 'react';
import type { Bin, Stretch } from './bins.ts';

export interface HistogramPlotProps {
  readonly bins: readonly Bin[];
  readonly selected: Stretch | undefined;
  readonly onPoint: (bin: number | undefined) => void;
  readonly onDrag: (stretch: Stretch | undefined) => void;
  readonly onSelect: (stretch: Stretch) => void;
}

/** The coordinates of the picture. Wide and high enough for whole numbers. */
const BIN_WIDTH = 10;
const HEIGHT = 100;

/** So that a bar with a single record is visible. */
const LOWEST = 3;

export function HistogramPlot({ bins, selected, onPoint, onDrag, onSelect }: HistogramPlotProps) {
  /** Where dragging has begun. */
  const anchor = useRef<number | undefined>(undefined);
  const most = Math.max(1, ...bins.map(({ count }) => count));
  const binAt = ({ currentTarget, clientX }: PointerEvent): number => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.max(0, Math.min(Math.floor(((clientX - left) / width) * bins.length), bins.length - 1));
  };
  const stretchTo = (bin: number): Stretch => {
    const start = anchor.current ?? bin;
    return [Math.min(start, bin), Math.max(start, bin) + 1];
  };
  const end = () => {
    anchor.current = undefined;
    onDrag(undefined);
  };
  return (
    <svg
      className="histogram-plot"
      viewBox={`0 0 ${bins.length * BIN_WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      // Keyboards and screen readers use the sliders and the table.
      aria-hidden="true"
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        anchor.current = binAt(event);
        onDrag(stretchTo(anchor.current));
      }}
      onPointerMove={(event) => {
        if (anchor.current !== undefined) onDrag(stretchTo(binAt(event)));
        else if (event.pointerType === 'mouse') onPoint(binAt(event));
      }}
      onPointerUp={(event) => {
        if (anchor.current === undefined) return;
        const stretch = stretchTo(binAt(event));
        end();
        onSelect(stretch);
      }}
      onPointerCancel={end}
      onPointerLeave={() => onPoint(undefined)}
    >
      {selected !== undefined && (
        <rect
          className="histogram-selection"
          x={selected[0] * BIN_WIDTH}
          width={(selected[1] - selected[0]) * BIN_WIDTH}
          height={HEIGHT}
        />
      )}
      {bins.map(({ count, isTail }, index) => {
        const height = count === 0 ? 0 : Math.max(LOWEST, (count / most) * HEIGHT);
        const isOutside = selected !== undefined && (index + 1 <= selected[0] || index >= selected[1]);
        return (
          <rect
            className={isOutside ? 'histogram-bar histogram-bar-outside' : 'histogram-bar'}
            data-tail={isTail}
            x={index * BIN_WIDTH}
            y={HEIGHT - height}
            width={BIN_WIDTH}
            height={height}
            // biome-ignore lint/suspicious/noArrayIndexKey: bars have no identity but their place
            key={index}
          />
        );
      })}
    </svg>
  );
}
