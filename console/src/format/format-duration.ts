/** How long something took, as people say it: `0.4 s`, `2 min 5 s`. */

const seconds = new Intl.NumberFormat(undefined, { style: 'unit', unit: 'second', maximumFractionDigits: 1 });
const wholeSeconds = new Intl.NumberFormat(undefined, { style: 'unit', unit: 'second', maximumFractionDigits: 0 });
const minutes = new Intl.NumberFormat(undefined, { style: 'unit', unit: 'minute' });

export function formatDuration(milliseconds: number): string {
  const whole = Math.round(milliseconds / 1_000);
  if (whole < 10) return seconds.format(milliseconds / 1_000);
  if (whole < 60) return wholeSeconds.format(whole);
  return `${minutes.format(Math.floor(whole / 60))} ${wholeSeconds.format(whole % 60)}`;
}
