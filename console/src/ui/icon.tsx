/** Icons, drawn with lines on a grid of 16. They are decoration: what has only an icon also has a label. */

import './icon.css';

const PATHS = {
  add: 'M8 3v10M3 8h10',
  less: 'M3 8h10',
  remove: 'M4 4l8 8M12 4l-8 8',
  edit: 'M3 13l.7-2.800L10.600 3.300l2.100 2.100-6.900 6.900zM9.200 4.700l2.100 2.100',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  down: 'M4 6l4 4 4-4',
  up: 'M4 10l4-4 4 4',
  left: 'M10 4L6 8l4 4',
  right: 'M6 4l4 4-4 4',
  first: 'M12 4L8 8l4 4M4 4v8',
  last: 'M4 4l4 4-4 4M12 4v8',
  ascending: 'M8 13V3M4 7l4-4 4 4',
  descending: 'M8 3v10M4 9l4 4 4-4',
  columns: 'M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10',
  copy: 'M6 6h7v7H6zM10 6V3H3v7h3',
  download: 'M8 2.5v8M4.5 7L8 10.5 11.5 7M3 13.5h10',
  upload: 'M8 10.5v-8M4.500 6L8 2.500 11.500 6M3 13.500h10',
  file: 'M4 2h5l3 3v9H4zM9 2v3h3',
  live: 'M2 8h3l2-5 3 10 2-5h2',
  key: 'M9 7a3 3 0 1 0-2 2l5 5h2v-2h-1.500v-1.500H11z',
  keyboard: 'M1.500 4h13v8.500h-13zM4 6.700v.1M6.700 6.700v.1M9.300 6.700v.1M12 6.700v.1M4.500 9.800h7',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM11 11l3 3',
  warning: 'M8 2.500L14.500 13.500h-13zM8 6.500v3.500M8 12v.2',
  offline:
    'M2 2l12 12M4.500 6.500a6 6 0 0 1 1.500-.9M8 5a7 7 0 0 1 4.500 2M6.500 9.500a3 3 0 0 1 3 0M8 12.500v.2M2 5a9 9 0 0 1 1-.8M7 2.600A9 9 0 0 1 14 5',
  chart: 'M3 13V8M8 13V3M13 13V6',
  code: 'M5.500 4.500L2 8l3.500 3.500M10.500 4.500L14 8l-3.500 3.500',
  response: 'M3 3h10v10H3zM5.500 6h5M5.500 8.500h5M5.500 11h3',
  panel: 'M2.5 3h11v10h-11zM10 3v10',
  group: 'M5 3H3v10h2M11 3h2v10h-2',
  drag: 'M6 4v.2M6 8v.2M6 12v.2M10 4v.2M10 8v.2M10 12v.2',
  sun: 'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1.500v1M8 13.500v1M1.500 8h1M13.500 8h1M3.400 3.400l.7.7M11.900 11.900l.7.7M3.400 12.600l.7-.7M11.900 4.100l.7-.7',
  moon: 'M13 9.500A5.500 5.500 0 1 1 6.500 3a4.500 4.500 0 0 0 6.500 6.500z',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
